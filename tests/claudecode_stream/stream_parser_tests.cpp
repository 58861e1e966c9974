#include "activations/claudecode/stream_parser.hpp"

#include "activations/claudecode/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace plexus::claudecode;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); }

// A tool result, as the CLI prints it, with the given text between the quotes of its content.
std::string tool_result(const std::string& content) {
    return R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":")" +
           content + R"("}]},"uuid":"u1"})";
}

}  // namespace

TEST_CASE("a line's parts are handed on as the text that came", "[parser]") {
    StreamParser parser;
    const auto message = parser.parse(
        R"({"message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{ "b": 1.0, "a":"\u0041" }},)"
        R"({"type":"hologram","payload":{"q":"\"]}"}}],"usage":{"input_tokens":1}},"type":"assistant","uuid":"u"})");
    CHECK(message.type == "assistant");
    CHECK(message.uuid == "u");
    const auto& line = std::get<AssistantLine>(message.body);
    CHECK(line.message_id == "m1");
    CHECK(line.usage == R"({"input_tokens":1})");
    REQUIRE(line.blocks.size() == 2);
    CHECK(raw_member(line.blocks[0].raw, "input") == R"({ "b": 1.0, "a":"\u0041" })");
    CHECK(line.blocks[1].type == "hologram");
    CHECK(line.blocks[1].raw == R"({"type":"hologram","payload":{"q":"\"]}"}})");
}

TEST_CASE("a tool result's text is its string, or the text of its blocks", "[parser]") {
    StreamParser parser;
    auto message = parser.parse(tool_result(R"(a\nb)"));
    CHECK(std::get<UserLine>(message.body).blocks.at(0).text == "a\nb");
    message = parser.parse(
        R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,)"
        R"("content":[{"type":"text","text":"one"},{"type":"image","source":{}},{"type":"text","text":"two"}]}]}})");
    CHECK(std::get<UserLine>(message.body).blocks.at(0).text == "one\ntwo");
    CHECK(std::get<UserLine>(message.body).blocks.at(0).is_error);
}

TEST_CASE("what is not JSON we can hold is Unparsed, with its text made fit for JSON", "[parser]") {
    StreamParser parser;
    const auto [what, line] = GENERATE(table<std::string, std::string>({
        {"text", "Hello from a program"},
        {"half a line", R"({"type":"assistant","message":{"content":[{"type":"te)"},
        {"a cut string", R"({"type":"resu)"},
        {"nothing", "nul"},
        {"a trailing comma", R"({"type":"result",})"},
        {"two values", R"({"type":"keep_alive"} {"type":"keep_alive"})"},
        {"a single quote", R"({'type':'result'})"},
        {"a raw NUL", std::string("{\"type\":\"a\0b\"}", 15)},
        {"NULs", std::string(64, '\0')},
        {"a raw control character", "{\"type\":\"a\x01z\"}"},
        {"bad UTF-8", "{\"type\":\"\xff\xfe\"}"},
        {"an overlong encoding", "{\"type\":\"\xc0\xaf\"}"},
        {"a UTF-8 surrogate", "{\"type\":\"\xed\xa0\x80\"}"},
        {"cut UTF-8", "{\"type\":\"\xe2\x82"},
        {"a bad escape", R"({"type":"\x41"})"},
        {"a bad unicode escape", R"({"type":"\u12G4"})"},
        {"a number out of range", R"({"type":"x","n":1e400})"},
        {"a number with a leading zero", R"({"type":"x","n":01})"},
        {"NaN", R"({"type":"x","n":NaN})"},
        {"brackets that do not match", R"({"type":"x","n":[1,2}})"},
        {"depth 129", nested(129)},
        {"depth 100000", nested(100000)},
        {"depth 100000 in an object", R"({"n":1e400,"type":)" + nested(100000) + "}"},
        {"depth 100000, open", std::string(100000, '[')},
        {"a deep number nobody can hold", R"({"n":99999999999999999999,"x":)" + nested(200) + "}"},
    }));
    INFO(what);
    const auto message = parser.parse(line);
    REQUIRE(std::holds_alternative<Unparsed>(message.body));
    const auto& unparsed = std::get<Unparsed>(message.body);
    CHECK_FALSE(unparsed.reason.empty());
    CHECK_NOTHROW(nlohmann::json(unparsed.text).dump());
    CHECK(std::get<UserLine>(parser.parse(tool_result("still reading")).body).blocks.at(0).text ==
          "still reading");
}

TEST_CASE("half a surrogate pair costs one character, not the line", "[parser]") {
    StreamParser parser;
    const auto [content, text] = GENERATE(table<std::string, std::string>({
        {R"(cut \ud83d)", "cut \xEF\xBF\xBD"},
        {R"(\ude00 cut)", "\xEF\xBF\xBD cut"},
        {R"(\ud83d\ud83d\ude00)", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {R"(\ude00\ud83d)", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {R"(\\ud83d \ud83d)", "\\ud83d \xEF\xBF\xBD"},
    }));
    const auto message = parser.parse(tool_result(content));
    REQUIRE(std::holds_alternative<UserLine>(message.body));
    const auto& block = std::get<UserLine>(message.body).blocks.at(0);
    CHECK(block.text == text);
    CHECK(nlohmann::json::parse(block.raw)["content"] == text);  // which would refuse the half pair
}

TEST_CASE("an integer above 2^64 is rounded, not refused", "[parser]") {
    StreamParser parser;
    const auto message =
        parser.parse(R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t",)"
                     R"("name":"n","input":{"big":123456789012345680000}}]}})");
    REQUIRE(std::holds_alternative<AssistantLine>(message.body));
    const auto raw = std::get<AssistantLine>(message.body).blocks.at(0).raw;
    CHECK(nlohmann::json::parse(raw)["input"]["big"] == 123456789012345680000.0);
}

TEST_CASE("a line of an unknown type or shape is kept as it is", "[parser]") {
    StreamParser parser;
    const std::string line =
        GENERATE(R"({"type":"telepathy","n":[1,{"a":null}]})", R"({"type":"assistant"})",
                 R"({"type":"assistant","message":7})", R"({"type":"user","message":{}})",
                 R"({"type":"stream_event","event":"x"})", R"({"type":"control_request"})", R"({"type":7})",
                 R"({})", R"([1,2])", R"("text")", "7", "null");
    const auto message = parser.parse(line);
    CHECK(std::holds_alternative<OtherLine>(message.body));
    CHECK(message.raw == line);
}

TEST_CASE("fields of the wrong type are read as absent", "[parser]") {
    StreamParser parser;
    const auto message =
        parser.parse(R"({"type":"result","subtype":7,"is_error":"yes","num_turns":"x",)"
                     R"("total_cost_usd":null,"errors":"x","usage":3,"origin":[],"duration_ms":1e300})");
    const auto& result = std::get<ResultLine>(message.body);
    CHECK_FALSE(result.is_error);
    CHECK(result.num_turns == 0);
    CHECK(result.duration_ms == 0);
    CHECK(result.errors.empty());
    CHECK(result.origin.empty());
}

TEST_CASE("depth 128 is still read, and duplicate keys do no harm", "[parser]") {
    StreamParser parser;
    CHECK(std::holds_alternative<OtherLine>(parser.parse(nested(128)).body));
    const auto message =
        parser.parse(R"({"type":"user","type":"result","message":{"content":"a","content":[]}})");
    CHECK(message.type == "user");
    CHECK(std::get<UserLine>(message.body).content == "\"a\"");
    CHECK(std::get<UserLine>(message.body).text == "a");
}

TEST_CASE("an oversize line becomes a record of it", "[parser]") {
    StreamParser parser;
    const Line line{{}, Oversize{"{\"type\":\"\xe2\x82", 20'000'000, "abc"}};
    const auto message = parser.parse(line);
    CHECK(message.type == "oversize");
    const auto data = nlohmann::json::parse(message.raw);
    CHECK(data["length"] == 20'000'000);
    CHECK(data["sha256"] == "abc");
    CHECK(data["head"] == "{\"type\":\"\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("long lines are read whole, and short ones after them", "[parser]") {
    StreamParser parser;
    const std::string text(5 << 20, 'y');
    CHECK(std::get<UserLine>(parser.parse(tool_result(text)).body).blocks.at(0).text == text);
    CHECK(std::get<UserLine>(parser.parse(tool_result("short")).body).blocks.at(0).text == "short");
}

TEST_CASE("every prefix of a line is either read or Unparsed", "[parser]") {
    StreamParser parser;
    const auto line = tool_result(R"(a \"quoted\" \u00e9 é \ud83d text)");
    for (std::size_t length = 1; length < line.size(); ++length)
        CHECK(std::holds_alternative<Unparsed>(parser.parse(line.substr(0, length)).body));
}
