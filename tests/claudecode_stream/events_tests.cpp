#include "activations/claudecode/classic_view.hpp"
#include "tests/claudecode_stream/recording.hpp"

#include <catch2/catch.hpp>

using namespace plexus;
using namespace plexus::claudecode;
using namespace plexus::tests;

TEST_CASE("a chat event on the wire has its tag, its fields and nothing that is not there", "[events]") {
    ChatEvent event = ContentEndEvent{
        .position = std::nullopt, .block_index = 2, .abandoned = {}, .parent_tool_use_id = {}};
    set_position(event, {"tree", "node"});
    CHECK(schema::encode(event) == Json{{"type", "content_end"},
                                        {"block_index", 2},
                                        {"position", {{"tree_id", "tree"}, {"node_id", "node"}}}});
    CHECK(event_type(event) == "content_end");
    ChatEvent start = StartEvent{};
    set_position(start, {"tree", "turn"});
    CHECK(schema::encode(start)["turn_position"]["node_id"] == "turn");
    CHECK(is_terminal(CompleteEvent{}));
    CHECK_FALSE(is_terminal(start));
}

TEST_CASE("every event of every recording survives encode and decode", "[events][recordings]") {
    for (const auto& recording : recordings())
        for (const auto& emit : all<Emit>(replay(recording).effects)) {
            const auto json = schema::encode(emit.event);
            const auto back = schema::decode<ChatEvent>(json, schema::Unknown::refused);
            REQUIRE(back.has_value());
            REQUIRE(*back == emit.event);
        }
}

TEST_CASE("the union is published under its name with every case", "[events]") {
    const auto schema = schema::json_schema<ChatEvent>();
    CHECK(schema["title"] == "ChatEvent");
    CHECK(schema["oneOf"].size() == std::variant_size_v<ChatEvent>);
}

TEST_CASE("the classic view speaks the older words and drops what they have none for", "[events][classic]") {
    const Json place = {{"tree_id", "t"}, {"node_id", "n"}}, user = {{"tree_id", "t"}, {"node_id", "u"}};
    const auto [stored, classic] = GENERATE_COPY(table<Json, Json>({
        {{{"type", "start"},
          {"id", "s"},
          {"stream_id", "x"},
          {"turn_position", place},
          {"user_position", user}},
         {{"type", "start"}, {"id", "s"}, {"user_position", user}}},
        {{{"type", "start"}, {"id", "s"}, {"stream_id", "x"}, {"turn_position", place}},
         {{"type", "start"}, {"id", "s"}, {"user_position", place}}},
        {{{"type", "content_delta"}, {"text", "hi"}, {"block_index", 0}},
         {{"type", "content"}, {"text", "hi"}}},
        {{{"type", "thinking_delta"}, {"text", "hm"}, {"block_index", 0}},
         {{"type", "thinking"}, {"thinking", "hm"}}},
        {{{"type", "tool_use_end"},
          {"tool_use_id", "i"},
          {"tool_name", "Bash"},
          {"input", {{"c", 1}}},
          {"block_index", 1}},
         {{"type", "tool_use"}, {"tool_use_id", "i"}, {"tool_name", "Bash"}, {"input", {{"c", 1}}}}},
        {{{"type", "tool_result"},
          {"tool_use_id", "i"},
          {"output", "o"},
          {"is_error", true},
          {"position", place}},
         {{"type", "tool_result"}, {"tool_use_id", "i"}, {"output", "o"}, {"is_error", true}}},
        {{{"type", "complete"},
          {"new_head", place},
          {"claude_session_id", "c"},
          {"usage",
           {{"input_tokens", 1},
            {"output_tokens", 2},
            {"cost_usd", 0.5},
            {"num_turns", 1},
            {"duration_ms", 9}}}},
         {{"type", "complete"},
          {"new_head", place},
          {"claude_session_id", "c"},
          {"usage", {{"input_tokens", 1}, {"output_tokens", 2}, {"cost_usd", 0.5}, {"num_turns", 1}}}}},
        {{{"type", "error"}, {"message", "m"}, {"kind", "auth"}}, {{"type", "error"}, {"message", "m"}}},
        {{{"type", "passthrough"}, {"event_type", "e"}, {"handle", "h"}, {"data", 1}},
         {{"type", "passthrough"}, {"event_type", "e"}, {"handle", "h"}, {"data", 1}}},
        {{{"type", "content_start"}, {"block_index", 0}}, nullptr},
        {{{"type", "content_end"}, {"block_index", 0}, {"position", place}}, nullptr},
        {{{"type", "status"}, {"status", "retry"}, {"data", {}}}, nullptr},
        {{{"type", "user_message"}, {"position", place}}, nullptr},
        {{{"type", "tool_use_end"}, {"tool_use_id", "i"}, {"tool_name", "Bash"}, {"abandoned", true}},
         nullptr},
        {{{"type", "content_delta"}, {"text", "hi"}, {"parent_tool_use_id", "p"}}, nullptr},
    }));
    INFO(stored.dump());
    const auto view = classic_view(stored);
    CHECK(view.has_value() == !classic.is_null());
    if (view) CHECK(*view == classic);
}
