// The fake agent behaves like the CLI where it should, and misbehaves exactly as it is told.
#include "tests/process/world.hpp"

#include <fstream>

namespace plexus::tests {

namespace {

using Json = nlohmann::json;

struct Agent : World {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("plexus-fake-agent-" + std::to_string(::getpid()));
    hub::Command wanted =
        command({PLEXUS_BINARY_DIR "/fake-agent", "-p", "--input-format", "stream-json", "--output-format",
                 "stream-json", "--verbose", "--include-partial-messages", "--replay-user-messages",
                 "--permission-prompt-tool", "stdio"});
    std::unique_ptr<hub::Process> process;
    std::string rest;

    Agent() {
        std::filesystem::create_directories(folder);
        wanted.directory = folder;
        wanted.environment["FAKE_AGENT_LOG"] = folder / "log";
    }
    ~Agent() { std::filesystem::remove_all(folder); }

    void start() { process = processes.spawn(wanted); }

    hub::awaitable<void> send(Json line) { co_await process->write(line.dump() + "\n"); }
    hub::awaitable<void> prompt(std::string text, std::string uuid = "") {
        Json line = {{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}};
        if (!uuid.empty()) line["uuid"] = uuid;
        co_await send(line);
    }
    hub::awaitable<void> control(Json request) {
        co_await send({{"type", "control_request"}, {"request_id", "r"}, {"request", request}});
    }

    hub::awaitable<std::optional<std::string>> raw_line() {
        while (rest.find('\n') == rest.npos) {
            const auto piece = co_await process->read_some();
            if (piece.empty()) co_return std::nullopt;
            rest += piece;
        }
        const auto line = rest.substr(0, rest.find('\n'));
        rest.erase(0, line.size() + 1);
        co_return line;
    }
    // All lines up to and with the first of this type, or to the end.
    hub::awaitable<std::vector<Json>> until(std::string type) {
        std::vector<Json> lines;
        for (;;) {
            const auto line = co_await raw_line();
            if (!line) co_return lines;
            lines.push_back(Json::parse(*line, nullptr, false));
            if (lines.back().is_object() && lines.back().value("type", "") == type) co_return lines;
        }
    }
    std::vector<Json> log() const {
        std::vector<Json> entries;
        std::ifstream file(folder / "log");
        for (std::string line; std::getline(file, line);) entries.push_back(Json::parse(line));
        return entries;
    }
};

std::vector<std::string> kinds(const std::vector<Json>& lines) {
    std::vector<std::string> names;
    for (const auto& line : lines) {
        const auto type = line.value("type", "");
        if (type == "stream_event") names.push_back(line["event"].value("type", ""));
        else if (type == "system") names.push_back(line.value("subtype", ""));
        else names.push_back(type + (line.value("isReplay", false) ? ":replay" : ""));
    }
    return names;
}

bool has_result(const std::vector<Json>& lines) {
    return !lines.empty() && lines.back().value("type", "") == "result";
}

const std::string uuid = "11111111-1111-4111-8111-111111111111";

}  // namespace

TEST_CASE_METHOD(Agent, "a plain prompt is echoed in a turn of the CLI's shape", "[fake-agent]") {
    run([&]() -> hub::awaitable<void> {
        wanted.argv.insert(wanted.argv.end(),
                           {"--session-id", "22222222-2222-4222-8222-222222222222", "--new-flag"});
        start();
        co_await prompt("hello", uuid);
        const auto lines = co_await until("result");
        CHECK(kinds(lines) ==
              std::vector<std::string>{"command_lifecycle", "command_lifecycle", "init", "status",
                                       "user:replay", "message_start", "content_block_start",
                                       "content_block_delta", "content_block_delta", "assistant",
                                       "content_block_stop", "message_delta", "message_stop", "result"});
        const auto& result = lines.back();
        CHECK(result["result"] == "You said: hello");
        CHECK(result["is_error"] == false);
        CHECK(result["usage"]["output_tokens"].get<int>() > 0);
        CHECK(result["user_message_uuid"] == uuid);
        for (const auto& line : lines) CHECK(line["session_id"] == "22222222-2222-4222-8222-222222222222");

        // A uuid seen before is replayed and dropped; another turn works on the same process.
        co_await prompt("again", uuid);
        co_await prompt("#fake context");
        const auto second = co_await until("result");
        CHECK(kinds(second)[0] == "command_lifecycle");
        CHECK(kinds(second)[1] == "user:replay");
        CHECK(second.back()["result"].get<std::string>().starts_with("prompts=2 "));
        process->close_stdin();
        CHECK((co_await process->wait()).code == 0);
    }());
    const auto entries = log();
    CHECK(entries[0]["argv"].back() == "--new-flag");
    CHECK(entries[0]["descriptors"] == Json{0, 1, 2});
    CHECK(entries[0]["environment"] == Json{"FAKE_AGENT_LOG", "PATH", "AGENT_TREE"});
    CHECK(Json::parse(entries[1]["stdin"].get<std::string>())["uuid"] == uuid);
    CHECK(entries.back()["exit"] == 0);
}

TEST_CASE_METHOD(Agent, "a permission is asked for, and decides what really happens", "[fake-agent]") {
    const auto order = R"(#fake permission {"tool":"Bash","input":{"command":"touch made && echo done"}})";
    const auto answer = [this](const Json& request, Json response) {
        return send(
            {{"type", "control_response"},
             {"response",
              {{"subtype", "success"}, {"request_id", request["request_id"]}, {"response", response}}}});
    };
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(order);
        auto request = (co_await until("control_request")).back();
        CHECK(request["request"]["subtype"] == "can_use_tool");
        CHECK(request["request"]["input"]["command"] == "touch made && echo done");
        co_await answer(request, {{"behavior", "deny"}, {"message", "not today"}});
        auto lines = co_await until("result");
        CHECK(lines[1]["message"]["content"][0]["content"] == "not today");  // after the echo of our answer
        CHECK(lines[1]["message"]["content"][0]["is_error"] == true);
        CHECK(lines.back()["permission_denials"].size() == 1);
        CHECK_FALSE(std::filesystem::exists(folder / "made"));

        co_await prompt(order);
        request = (co_await until("control_request")).back();
        co_await control({{"subtype", "interrupt"}});
        lines = co_await until("result");
        CHECK(lines[0]["type"] == "control_cancel_request");
        CHECK(lines[0]["request_id"] == request["request_id"]);
        CHECK(lines.back()["subtype"] == "error_during_execution");
        CHECK(lines.back()["terminal_reason"] == "aborted_tools");

        co_await prompt(order);
        request = (co_await until("control_request")).back();
        co_await answer(request, {{"behavior", "allow"}});
        lines = co_await until("result");
        CHECK(lines[1]["message"]["content"][0]["content"] == "done");
        CHECK(lines.back()["is_error"] == false);
        CHECK(std::filesystem::exists(folder / "made"));
    }());
}

TEST_CASE_METHOD(Agent, "an interrupt ends a turn in the middle, and the next one works", "[fake-agent]") {
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(R"(#fake deltas {"n":1000,"ms":20})");
        co_await until("stream_event");
        co_await control({{"subtype", "interrupt"}});
        const auto lines = co_await until("result");
        CHECK(lines.back()["subtype"] == "error_during_execution");
        CHECK(lines.back()["terminal_reason"] == "aborted_streaming");
        co_await control({{"subtype", "set_model"}, {"model", "claude-other"}});
        CHECK((co_await until("control_response")).back()["response"]["response"]["model"] == "claude-other");
        co_await prompt("on we go");
        CHECK((co_await until("result")).back()["result"] == "You said: on we go");
        co_await control({{"subtype", "end_session"}});
        CHECK((co_await process->wait()).code == 0);
    }());
}

TEST_CASE_METHOD(Agent, "the scenes of a good agent end well", "[fake-agent]") {
    const auto [order, results, deltas] = GENERATE(table<std::string, int, int>({
        {R"(#fake text {"text":"héllo ✓ wörld, in pieces"})", 0, 3},
        {R"(#fake tool {"output":"42"})", 1, 8},
        {"#fake parallel", 3, 10},
        {"#fake thinking", 0, 7},
        {R"(#fake deltas {"n":500})", 0, 500},
    }));
    std::vector<Json> lines;
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(order);
        lines = co_await until("result");
    }());
    REQUIRE(has_result(lines));
    CHECK(lines.back()["is_error"] == false);
    int tool_results = 0, seen_deltas = 0;
    for (const auto& line : lines) {
        const auto content = line.value("type", "") == "user" ? line["message"]["content"] : Json();
        if (content.is_array() && content[0]["type"] == "tool_result") ++tool_results;
        if (line.value("type", "") == "stream_event" && line["event"]["type"] == "content_block_delta")
            ++seen_deltas;
    }
    CHECK(tool_results == results);
    CHECK(seen_deltas >= deltas);
}

TEST_CASE_METHOD(Agent, "the fake dies as it is told", "[fake-agent]") {
    struct Row {
        std::string order;
        std::optional<int> code, signal;
    };
    const auto row = GENERATE(values<Row>({{R"(#fake exit {"code":3,"stderr":"so long"})", 3, {}},
                                           {R"(#fake signal {"n":9})", {}, SIGKILL},
                                           {"#fake crash-midstream", {}, SIGSEGV},
                                           {"#fake no-result", 0, {}},
                                           {"#fake half-line", 0, {}}}));
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(row.order);
        CHECK_FALSE(has_result(co_await until("result")));
        const auto exit = co_await process->wait();
        CHECK(exit.code == row.code);
        CHECK(exit.signal == row.signal);
        if (row.code == 3) CHECK(process->stderr_tail().text == "so long");
        if (row.order == "#fake half-line") CHECK(rest.starts_with("{\"duration_api_ms\""));
    }());
}

TEST_CASE_METHOD(Agent, "an API error is a result with is_error, and the exit says so too", "[fake-agent]") {
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(R"(#fake error {"status":429})");
        const auto lines = co_await until("result");
        CHECK(kinds(lines) == std::vector<std::string>{"init", "user:replay", "api_retry", "api_retry",
                                                       "assistant", "result"});
        CHECK(lines.back()["subtype"] == "success");
        CHECK(lines.back()["is_error"] == true);
        CHECK(lines.back()["api_error_status"] == 429);
        process->close_stdin();
        CHECK((co_await process->wait()).code == 1);
    }());
}

TEST_CASE_METHOD(Agent, "bad bytes and long lines come between good ones", "[fake-agent]") {
    const auto [order, size] = GENERATE(table<std::string, std::size_t>(
        {{"#fake bad-utf8", 0}, {"#fake garbage", 200'000}, {R"(#fake long-line {"mb":20})", 20 << 20}}));
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(order);
        std::size_t longest = 0;
        int broken = 0;
        for (;;) {
            const auto line = co_await raw_line();
            REQUIRE(line);
            longest = std::max(longest, line->size());
            const auto json = Json::parse(line->size() < 100'000 ? *line : "{}", nullptr, false);
            broken += json.is_discarded();
            if (json.is_object() && json.value("type", "") == "result") break;
        }
        CHECK(longest >= size);
        CHECK((broken > 0) == (size != 20 << 20));
    }());
}

TEST_CASE_METHOD(Agent, "a deaf agent with a deaf grandchild on its pipes is ended by the ladder",
                 "[fake-agent]") {
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt(R"(#fake grandchild {"deaf":true})");
        co_await until("result");
        co_await prompt("#fake ignore-term");
        co_await until("result");
        CHECK(process::descendants(::getpid()).size() == 2);
        const auto exit = co_await process->end({100ms, 100ms, 100ms, 100ms});
        CHECK(exit.signal == SIGKILL);
        CHECK(process::descendants(::getpid()).empty());
    }());
}

TEST_CASE_METHOD(Agent, "a resume is taken up or, when told so, refused as the CLI refuses it",
                 "[fake-agent]") {
    run([&]() -> hub::awaitable<void> {
        wanted.argv.insert(wanted.argv.end(), {"--resume=" + uuid, "--fork-session"});
        start();
        co_await prompt("#fake context");
        const auto line = (co_await until("result")).back();
        CHECK(line["result"].get<std::string>().find("resumed=" + uuid + " at= fork=yes") !=
              std::string::npos);
        CHECK(line["session_id"] != uuid);

        wanted.environment["FAKE_AGENT_REFUSE_RESUME"] = "1";
        start();
        const auto refusal = co_await until("result");
        CHECK(refusal.back()["errors"][0] == "No conversation found with session ID: " + uuid);
        CHECK((co_await process->wait()).code == 1);
    }());
}

TEST_CASE_METHOD(Agent, "a recording is played back in step with the client, under the client's ids",
                 "[fake-agent]") {
    const std::string old = "33333333-3333-4333-8333-333333333333",
                      session = "44444444-4444-4444-8444-444444444444";
    std::ofstream(folder / "stdin.jsonl")
        << R"({"type":"user","message":{"role":"user","content":"a"},"uuid":")" << old << "\"}\n"
        << R"({"type":"control_request","request_id":"i1","request":{"subtype":"interrupt"}})" << "\n";
    std::ofstream(folder / "stdout.jsonl")
        << R"({"type":"system","subtype":"init","session_id":"rec"})" << "\n"
        << R"({"type":"user","uuid":")" << old << "\"}\n"
        << R"({"type":"control_response","response":{"request_id":"i1"}})" << "\n"
        << R"({"type":"result","session_id":"rec"})" << "\n";
    std::ofstream(folder / "timeline.jsonl") << R"({"ms":0,"ch":"in","n":0})" << "\n"
                                             << R"({"ms":1,"ch":"out","n":0})" << "\n"
                                             << R"({"ms":101,"ch":"out","n":1})" << "\n"
                                             << R"({"ms":102,"ch":"in","n":1})" << "\n"
                                             << R"({"ms":103,"ch":"out","n":2})" << "\n"
                                             << R"({"ms":104,"ch":"out","n":3})" << "\n";
    wanted.environment["FAKE_AGENT_RECORDING"] = folder;
    wanted.argv.insert(wanted.argv.end(), {"--session-id", session});
    run([&]() -> hub::awaitable<void> {
        start();
        co_await prompt("a", uuid);
        const auto started = std::chrono::steady_clock::now();
        const auto begin = co_await until("user");
        CHECK(std::chrono::steady_clock::now() - started >= 95ms);
        CHECK(begin[0]["session_id"] == session);
        CHECK(begin[1]["uuid"] == uuid);
        CHECK(rest.empty());  // the rest waits for our interrupt
        co_await control({{"subtype", "interrupt"}});
        const auto end = co_await until("result");
        CHECK(end[0]["response"]["request_id"] == "r");
        CHECK(end[1]["session_id"] == session);
    }());
}

}  // namespace plexus::tests
