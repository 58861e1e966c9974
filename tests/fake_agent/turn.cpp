#include "tests/fake_agent/turn.hpp"

#include "tests/fake_agent/ids.hpp"

#include <algorithm>

namespace plexus::fake_agent {

namespace {

// As the API cuts them: some bytes at a time, never inside a character.
std::vector<std::string> pieces(const std::string& text) {
    constexpr std::size_t size = 12;
    std::vector<std::string> result;
    for (std::size_t start = 0; start < text.size();) {
        auto end = std::min(start + size, text.size());
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
        result.push_back(text.substr(start, end - start));
        start = end;
    }
    return result;
}

long tokens(std::size_t bytes) { return static_cast<long>(bytes / 4 + 7); }

}  // namespace

Turn::Turn(Agent& its_agent, const Prompt& prompt) : agent(its_agent), prompt_(prompt), parent_(prompt.uuid) {
    entries_.push_back({{"parentUuid", nullptr},
                        {"isSidechain", false},
                        {"type", "user"},
                        {"message", {{"role", "user"}, {"content", prompt.content}}},
                        {"uuid", prompt.uuid},
                        {"timestamp", now_text()},
                        {"sessionId", agent.session.options.session_id},
                        {"version", cli_version}});
}

void Turn::event(Json event) {
    if (agent.session.options.partial) agent.print(stream_event(agent.session, std::move(event), message_));
}

void Turn::begin() {
    message_ = new_id("msg_01");
    index_ = 0;
    message_usage_ = {2500 + 60 * messages_ + tokens(prompt_.text.size()), 0};
    if (agent.session.options.partial) agent.print(status(agent.session, prompt_.given));
    ++messages_;
    replay_prompt();
    if (agent.session.options.partial) agent.print(message_start(agent.session, message_, message_usage_));
}

void Turn::replay_prompt() {
    if (std::exchange(replayed_, true) || !agent.session.options.replay) return;
    agent.print(replay(agent.session, prompt_.content, prompt_.uuid));
}

void Turn::end(const char* stop_reason) {
    event({{"type", "message_delta"},
           {"delta", {{"stop_reason", stop_reason}, {"stop_sequence", nullptr}}},
           {"usage",
            {{"input_tokens", message_usage_.input},
             {"cache_creation_input_tokens", 0},
             {"cache_read_input_tokens", 0},
             {"output_tokens", message_usage_.output}}}});
    event({{"type", "message_stop"}});
    usage_.input += message_usage_.input;
    usage_.output += message_usage_.output;
    if (agent.session.options.mirror)
        agent.print(mirror(agent.session, std::exchange(entries_, Json::array())));
}

void Turn::open(Json block) {
    open_ = true;
    event({{"type", "content_block_start"}, {"index", index_}, {"content_block", std::move(block)}});
}

void Turn::delta(Json delta, int ms) {
    agent.wait(ms);
    event({{"type", "content_block_delta"}, {"index", index_}, {"delta", std::move(delta)}});
}

// The complete block comes before its own stop event.
void Turn::close(Json block) {
    message_usage_.output +=
        tokens(block.contains("text") ? block["text"].get_ref<const std::string&>().size() : 40);
    auto line = assistant(agent.session, message_, std::move(block), message_usage_);
    agent.print(line);
    Json entry = {{"parentUuid", parent_},
                  {"isSidechain", false},
                  {"message", line["message"]},
                  {"apiBlockIndex", index_},
                  {"type", "assistant"},
                  {"uuid", line["uuid"]},
                  {"timestamp", line["timestamp"]},
                  {"sessionId", agent.session.options.session_id},
                  {"version", cli_version}};
    parent_ = line["uuid"];
    if (agent.session.options.mirror) entries_.push_back(std::move(entry));
    event({{"type", "content_block_stop"}, {"index", index_}});
    ++index_;
    open_ = false;
    open_text_.reset();
}

void Turn::text(const std::string& text, int ms) {
    begin_text();
    for (const auto& piece : pieces(text)) add_text(piece, ms);
    end_text();
}

void Turn::begin_text() {
    open({{"type", "text"}, {"text", ""}});
    open_text_ = "";
}

void Turn::add_text(const std::string& piece, int ms) {
    delta({{"type", "text_delta"}, {"text", piece}}, ms);
    *open_text_ += piece;
}

// The line is made once; only its uuid changes.
void Turn::repeat_text(const std::string& piece, int count) {
    agent.wait(0);
    const Json delta = {{"type", "text_delta"}, {"text", piece}};
    const Json made = {{"type", "content_block_delta"}, {"index", index_}, {"delta", delta}};
    const auto whole = stream_event(agent.session, made, message_);
    auto line = whole.dump() + "\n";
    const auto place = line.find(whole["uuid"].get<std::string>());
    for (int i = 0; i < count; ++i) {
        if (agent.session.options.partial) write_all(line);
        line.replace(place, 36, new_uuid());
        *open_text_ += piece;
    }
}

void Turn::end_text() {
    last_text_ = *open_text_;
    close({{"type", "text"}, {"text", last_text_}});
}

void Turn::thinking(const std::string& text) {
    open({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    int estimated = 0;
    for (const auto& piece : pieces(text)) {
        estimated += 3;
        agent.print({{"type", "system"},
                     {"subtype", "thinking_tokens"},
                     {"estimated_tokens", estimated},
                     {"estimated_tokens_delta", 3},
                     {"session_id", agent.session.options.session_id},
                     {"uuid", new_uuid()}});
        delta({{"type", "thinking_delta"}, {"thinking", piece}}, 0);
    }
    delta({{"type", "signature_delta"}, {"signature", "EqQBCkgIfakeSignature"}}, 0);
    close({{"type", "thinking"}, {"thinking", text}, {"signature", "EqQBCkgIfakeSignature"}});
}

std::string Turn::tool_use(const std::string& name, const Json& input) {
    const auto tool = new_id("toolu_01");
    open({{"type", "tool_use"}, {"id", tool}, {"name", name}, {"input", Json::object()}});
    delta({{"type", "input_json_delta"}, {"partial_json", ""}}, 0);
    for (const auto& piece : pieces(input.dump()))
        delta({{"type", "input_json_delta"}, {"partial_json", piece}}, 0);
    close({{"type", "tool_use"}, {"id", tool}, {"name", name}, {"input", input}});
    open_tools_.push_back(tool);
    return tool;
}

void Turn::tool_result(const std::string& tool, const Json& content, bool is_error, Json structured) {
    if (structured.is_null())
        structured = is_error ? Json("Error: " + content.get<std::string>())
                              : Json{{"stdout", content}, {"stderr", ""}, {"interrupted", false}};
    auto line = fake_agent::tool_result(agent.session, tool, content, is_error, std::move(structured));
    agent.print(line);
    std::erase(open_tools_, tool);
    entries_.push_back({{"parentUuid", parent_},
                        {"isSidechain", false},
                        {"type", "user"},
                        {"message", line["message"]},
                        {"uuid", line["uuid"]},
                        {"timestamp", line["timestamp"]},
                        {"sessionId", agent.session.options.session_id},
                        {"version", cli_version}});
    parent_ = line["uuid"];
}

Outcome Turn::outcome() const {
    Outcome outcome;
    outcome.text = last_text_;
    outcome.usage = usage_;
    outcome.api_messages = std::max(messages_, 1);
    outcome.denials = denials_;
    return outcome;
}

Outcome Turn::aborted() {
    const bool in_tool = !open_tools_.empty();
    if (open_text_ && !open_text_->empty()) {
        auto line =
            assistant(agent.session, message_, {{"type", "text"}, {"text", *open_text_}}, message_usage_);
        line["aborted"] = true;
        agent.print(line);
    }
    for (const auto& tool : std::vector(open_tools_)) {
        tool_result(tool,
                    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if "
                    "it was a file edit, the new_string was NOT written to the file). STOP what you are "
                    "doing and wait for the user to tell you how to proceed.",
                    true, "User rejected tool use");
    }
    const auto* told =
        in_tool ? "[Request interrupted by user for tool use]" : "[Request interrupted by user]";
    agent.print(user(agent.session, Json::array({Json{{"type", "text"}, {"text", told}}})));
    if (open_) {
        event({{"type", "content_block_stop"}, {"index", index_}});
        if (agent.session.options.partial) {
            auto stop = stream_event(agent.session, {{"type", "message_stop"}}, message_);
            stop["abandoned_blocks"] = {{"api_message_id", message_},
                                        {"from_block_index", index_ + (open_text_ ? 1 : 0)}};
            agent.print(stop);
        }
    }
    auto result = outcome();
    result.subtype = "error_during_execution";
    result.terminal_reason = in_tool ? "aborted_tools" : "aborted_streaming";
    result.is_error = true;
    result.stop_reason = in_tool ? Json("tool_use") : Json(nullptr);
    result.errors = Json::array({"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"});
    return result;
}

}  // namespace plexus::fake_agent
