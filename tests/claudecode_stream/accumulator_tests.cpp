// What no recording shows, or shows only among much else.
#include "tests/claudecode_stream/recording.hpp"

#include <catch2/catch.hpp>

using namespace plexus;
using namespace plexus::claudecode;
using namespace plexus::tests;

namespace {

const std::string init = R"({"type":"system","subtype":"init","session_id":"s1","model":"m"})";
const std::string success =
    R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","session_id":"s1"})";
const std::string own_success =
    R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","origin":{"kind":"task-notification"}})";
const std::string wake_up =
    R"({"type":"system","subtype":"task_notification","task_id":"b1","tool_use_id":"t9","status":"completed","uuid":"w"})";

std::string start(const std::string& id) {
    return R"({"type":"stream_event","event":{"type":"message_start","message":{"id":")" + id + R"("}}})";
}
std::string block_start(int index, const std::string& block) {
    return R"({"type":"stream_event","event":{"type":"content_block_start","index":)" +
           std::to_string(index) + R"(,"content_block":)" + block + "}}";
}
std::string delta(int index, const std::string& text) {
    return R"({"type":"stream_event","event":{"type":"content_block_delta","index":)" +
           std::to_string(index) + R"(,"delta":{"type":"text_delta","text":")" + text + R"("}}})";
}
const std::string stop = R"({"type":"stream_event","event":{"type":"message_stop"}})";
const std::string text_block = R"({"type":"text","text":""})";

std::string assistant(const std::string& id, const std::string& block, const std::string& more = "") {
    return R"({"type":"assistant","uuid":"u-)" + id + R"(","message":{"id":")" + id + R"(","content":[)" +
           block + "]}" + more + "}";
}
std::string says(const std::string& text) { return R"({"type":"text","text":")" + text + R"("})"; }
std::string calls(const std::string& id) {
    return R"({"type":"tool_use","id":")" + id + R"(","name":"Bash","input":{"command":"ls"}})";
}
std::string returns(const std::string& id, const std::string& more = "") {
    return R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" + id +
           R"(","content":"out"}]})" + more + "}";
}
std::string replayed(const std::string& uuid, const std::string& text) {
    return R"({"type":"user","isReplay":true,"uuid":")" + uuid + R"(","message":{"content":")" + text +
           R"("}})";
}

struct World {
    Accumulator accumulator;
    StreamParser parser;
    std::vector<Effect> effects;

    Key prompt(const std::string& uuid = "p1") {
        const auto turn = accumulator.begin_turn({uuid, R"("hello")"});
        collect();
        return turn;
    }
    void lines(std::initializer_list<std::string> list) {
        for (const auto& line : list) accumulator.consume(parser.parse(line));
        collect();
    }
    void ends(int exit) {
        accumulator.finish({exit, std::nullopt, ""});
        collect();
    }
    void collect() {
        for (auto& effect : accumulator.take()) effects.push_back(std::move(effect));
    }
    std::vector<std::string> contents() const {
        std::vector<std::string> texts;
        for (const auto& block : all<AddBlock>(effects))
            if (block.method == "content") texts.push_back(Json::parse(block.data)["text"]);
        return texts;
    }
    // "content_delta 0 text" and so on, for the events of one turn.
    std::vector<std::string> told(Key turn) const {
        std::vector<std::string> words;
        for (const auto& emit : all<Emit>(effects)) {
            if (emit.turn != turn) continue;
            const auto json = schema::encode(emit.event);
            auto word = std::string(event_type(emit.event));
            if (json.contains("block_index")) word += " " + json["block_index"].dump();
            if (json.contains("text")) word += " " + json["text"].get<std::string>();
            if (json.contains("abandoned")) word += " abandoned";
            words.push_back(word);
        }
        return words;
    }
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(World, "a turn begins with its prompt and ends with its result", "[accumulator]") {
    const auto turn = prompt();
    lines({init, assistant("m1", says("hi")), success});
    CHECK(told(turn) == Words{"start", "user_message", "status", "content_start 0", "content_delta 0 hi",
                              "content_end 0", "assistant_message", "complete"});
    const auto messages = all<AddMessage>(effects);
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].content == R"("hello")");
    CHECK(messages[0].cli_uuid == "p1");
    const auto end = all<EndTurn>(effects).at(0);
    CHECK(end.head == messages[1].node);
    CHECK(end.claude_session_id == "s1");
    const auto first = all<Emit>(effects).at(0);
    CHECK(first.position == turn);
    CHECK(first.user_position == messages[0].node);
    CHECK_FALSE(accumulator.busy());
}

TEST_CASE_METHOD(World, "blocks that stream at the same time are told apart by index", "[accumulator]") {
    const auto turn = prompt();
    lines({init, start("m1"), block_start(0, text_block), block_start(1, text_block), delta(1, "b1"),
           delta(0, "a1"), delta(1, "b2"), assistant("m1", says("b1b2")), delta(0, "a2"),
           assistant("m1", says("a1a2")), stop, success});
    CHECK(told(turn) == Words{"start", "user_message", "status", "content_start 0", "content_start 1",
                              "content_delta 1 b1", "content_delta 0 a1", "content_delta 1 b2",
                              "content_end 1", "content_delta 0 a2", "content_end 0", "assistant_message",
                              "complete"});
    CHECK(all<AddBlock>(effects).at(0).meta == Words{"1"});
    CHECK(all<AddBlock>(effects).at(1).meta == Words{"0"});
    CHECK(all<AddMessage>(effects).size() == 2);
}

TEST_CASE_METHOD(World, "a stream that is cut is taken back and its retry is another message",
                 "[accumulator]") {
    const auto turn = prompt();
    lines({init, start("m1"), block_start(0, text_block), delta(0, "lost"), start("m2"),
           block_start(0, text_block), delta(0, "kept"), assistant("m2", says("kept")), stop, success});
    CHECK(contents() == Words{"kept"});
    CHECK(told(turn) == Words{"start", "user_message", "status", "content_start 0", "content_delta 0 lost",
                              "content_end 0 abandoned", "content_start 0", "content_delta 0 kept",
                              "content_end 0", "assistant_message", "complete"});
    CHECK(all<AddMessage>(effects).size() == 2);  // the prompt and m2: no empty message is left of m1
}

TEST_CASE_METHOD(World, "text that came without a delta is told before its block ends", "[accumulator]") {
    const auto turn = prompt();
    lines({init, start("m1"), block_start(0, text_block), delta(0, "be"), assistant("m1", says("begun")),
           delta(0, "late"), stop, success});
    CHECK(told(turn) == Words{"start", "user_message", "status", "content_start 0", "content_delta 0 be",
                              "content_delta 0 gun", "content_end 0", "assistant_message", "complete"});
}

TEST_CASE_METHOD(World, "a tool result stands beside its call whatever came in between", "[accumulator]") {
    prompt();
    lines({init, assistant("m1", calls("t1")), assistant("m1", calls("t2")), returns("t2"),
           assistant("m2", says("x")), returns("t1"), success});
    const auto blocks = all<AddBlock>(effects);
    REQUIRE(blocks.size() == 5);
    CHECK(blocks[2].after == blocks[1].node);
    CHECK(blocks[2].message == blocks[0].message);
    CHECK(blocks[4].after == blocks[0].node);
    CHECK(blocks[4].meta == Words{"t1", "false"});
}

TEST_CASE_METHOD(World, "a result for a call of an earlier process is kept, its place left open",
                 "[accumulator]") {
    const auto turn = prompt();
    lines({init, returns("old")});
    const auto block = all<AddBlock>(effects).at(0);
    CHECK(block.message == no_key);
    CHECK(block.turn == turn);
    CHECK(block.meta == Words{"old", "false"});
    CHECK(events<ToolResultEvent>(effects).size() == 1);
}

TEST_CASE_METHOD(World, "a user line with a result and more gives both", "[accumulator]") {
    prompt();
    lines(
        {init, assistant("m1", calls("t1")),
         R"({"type":"user","uuid":"x","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"o"},)"
         R"({"type":"text","text":"and"},{"type":"image","source":{}}]}})"});
    CHECK(all<AddBlock>(effects).size() == 2);
    CHECK(all<AddMessage>(effects).at(2).content ==
          R"([{"type":"text","text":"and"},{"type":"image","source":{}}])");
}

TEST_CASE_METHOD(World, "a prompt is stored once, however often the CLI says it back", "[accumulator]") {
    prompt("p1");
    lines({init, replayed("p1", "hello"), replayed("p1", "hello"), success, replayed("p1", "hello")});
    CHECK(all<AddMessage>(effects).size() == 1);
    CHECK(all<PromptAcknowledged>(effects).size() == 1);
    prompt("p2");
    lines({replayed("p1", "hello"), init, replayed("p2", "hello"), success});
    CHECK(all<AddMessage>(effects).size() == 2);
    CHECK(all<PromptAcknowledged>(effects).at(1).uuid == "p2");
}

TEST_CASE_METHOD(World, "what a command said between turns comes first in the next one", "[accumulator]") {
    prompt("p1");
    lines({init, success, replayed("c1", "<local-command-stdout>Set model</local-command-stdout>")});
    const auto before = effects.size();
    const auto turn = prompt("p2");
    const std::vector<Effect> added(effects.begin() + static_cast<std::ptrdiff_t>(before), effects.end());
    const auto messages = all<AddMessage>(added);
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].cli_uuid == "c1");
    CHECK(messages[1].cli_uuid == "p2");
    CHECK(messages[0].turn == turn);
    CHECK(std::holds_alternative<StartEvent>(all<Emit>(added).at(0).event));
}

TEST_CASE_METHOD(World, "a background task that ends begins a turn of its own", "[accumulator]") {
    prompt();
    lines({init, success, wake_up});
    CHECK(all<OpenTurn>(effects).size() == 1);
    lines({init, assistant("m2", says("it ended")), own_success});
    const auto turns = all<OpenTurn>(effects);
    REQUIRE(turns.size() == 2);
    CHECK(turns[1].origin == TurnOrigin::cli);
    const auto node = all<AddPassthrough>(effects).at(0);
    CHECK(node.turn == turns[1].turn);
    CHECK(node.event_type == "task_notification");
    CHECK(told(turns[1].turn).front() == "start");
    CHECK(told(turns[1].turn).back() == "complete");
    CHECK(all<EndTurn>(effects).size() == 2);
}

TEST_CASE_METHOD(World, "a prompt sent just as a background task ends waits for its own turn",
                 "[accumulator]") {
    const bool notified_first = GENERATE(true, false);
    prompt("p1");
    lines({init, success});
    if (notified_first) lines({wake_up});
    const auto mine = prompt("p2");
    if (!notified_first) lines({wake_up});
    lines({init, assistant("m2", says("the task")), own_success});
    CHECK(all<EndTurn>(effects).size() == 2);
    CHECK(accumulator.busy());
    lines({init, replayed("p2", "hello"), assistant("m3", says("the prompt")), success});
    const auto ends = all<EndTurn>(effects);
    REQUIRE(ends.size() == 3);
    CHECK(ends[2].turn == mine);
    CHECK(all<AddBlock>(effects).back().turn == mine);
    CHECK_FALSE(accumulator.busy());
}

TEST_CASE_METHOD(World, "an init that names the waiting prompt starts it", "[accumulator]") {
    prompt("p1");
    lines({init, success, wake_up});
    const auto mine = prompt("p2");
    lines({R"({"type":"system","subtype":"init","session_id":"s1","user_message_uuids":["p2"]})",
           assistant("m2", says("both")), success});
    CHECK(all<EndTurn>(effects).back().turn == mine);
    CHECK(all<AddPassthrough>(effects).at(0).turn == mine);  // the notice is not lost
    CHECK_FALSE(accumulator.busy());
}

TEST_CASE_METHOD(World, "a prompt that the CLI took into its own turn ends with that turn", "[accumulator]") {
    prompt("p1");
    lines({init, success, wake_up});
    const auto mine = prompt("p2");
    lines({init, replayed("p2", "hello"), assistant("m2", says("both")), own_success});
    const auto ends = all<EndTurn>(effects);
    REQUIRE(ends.size() == 3);
    CHECK(ends[2].turn == mine);
    CHECK_FALSE(ends[2].outcome);
    CHECK_FALSE(accumulator.busy());
}

TEST_CASE_METHOD(World, "a sub-agent's messages hang below its call and never move the head",
                 "[accumulator]") {
    const auto turn = prompt();
    const std::string inside = R"(,"parent_tool_use_id":"t1","agent_id":"a1","subagent_type":"general")";
    lines({init, assistant("m1", calls("t1")), assistant("s1", calls("t2"), inside), returns("t2", inside),
           assistant("s2", says("inner"), inside), returns("t1"), assistant("m2", says("outer")), success});
    const auto turns = all<OpenTurn>(effects);
    REQUIRE(turns.size() == 2);
    CHECK(turns[1].origin == TurnOrigin::sub_agent);
    CHECK(turns[1].parent == all<AddBlock>(effects).at(0).node);
    CHECK(turns[1].metadata == Json{{"sidechain", true}, {"agent_id", "a1"}, {"subagent_type", "general"}});
    for (const auto& message : all<AddMessage>(effects))
        CHECK((message.turn == turns[1].turn) == message.message_id.starts_with("s"));
    CHECK(all<EndTurn>(effects).at(0).head == all<AddMessage>(effects).back().node);
    for (const auto& emit : all<Emit>(effects)) CHECK(emit.turn == turn);
    CHECK(events<ContentDeltaEvent>(effects).at(0).parent_tool_use_id == "t1");
    CHECK_FALSE(events<ContentDeltaEvent>(effects).at(1).parent_tool_use_id);
    CHECK(events<AssistantMessageEvent>(effects).size() == 4);
}

TEST_CASE_METHOD(World, "a background agent is still mirrored when its turn is over", "[accumulator]") {
    const auto turn = prompt();
    const std::string inside = R"(,"parent_tool_use_id":"t1")";
    lines({init, assistant("m1", calls("t1")), returns("t1"), success});
    const auto before = told(turn);
    lines({assistant("s1", says("late"), inside)});
    CHECK(contents() == Words{"late"});
    CHECK(told(turn) == before);  // the stream has ended; nothing may follow its last event
    lines({wake_up, init, assistant("s2", says("later"), inside)});
    CHECK(all<Emit>(effects).back().turn == all<OpenTurn>(effects).back().turn);
}

TEST_CASE_METHOD(World, "an agent whose call we never saw is kept under its call's name", "[accumulator]") {
    lines({assistant("s1", says("x"), R"(,"parent_tool_use_id":"t0")")});
    CHECK(all<OpenTurn>(effects).at(0).parent == no_key);
    CHECK(all<OpenTurn>(effects).at(0).parent_tool_use_id == "t0");
    CHECK(contents() == Words{"x"});
}

TEST_CASE_METHOD(World, "results that are held back end their turns in the order they began",
                 "[accumulator]") {
    const auto first = prompt();
    lines({init, assistant("m1", says("one")), wake_up, init, assistant("m2", says("two")), success,
           own_success});
    const auto ends = all<EndTurn>(effects);
    REQUIRE(ends.size() == 2);
    CHECK(ends[0].turn == first);
    CHECK(ends[0].head != ends[1].head);
}

TEST_CASE_METHOD(World, "the CLI's own error text is evidence, never an answer", "[accumulator]") {
    const auto turn = prompt();
    lines(
        {init, assistant("e1", says("API Error: overloaded"), R"(,"error":"server_error")"),
         R"({"type":"result","subtype":"success","is_error":true,"api_error_status":529,"num_turns":1,"result":"API Error: overloaded"})"});
    CHECK(contents().empty());
    CHECK(events<ContentDeltaEvent>(effects).empty());
    CHECK(all<AddPassthrough>(effects).at(0).event_type == "assistant_error");
    const auto error = events<ErrorEvent>(effects).at(0);
    CHECK(error.kind == ErrorKind::overloaded);
    CHECK(error.api_status == 529);
    CHECK(told(turn).back() == "error");
    CHECK(events<CompleteEvent>(effects).empty());
}

TEST_CASE_METHOD(World, "requests of the CLI are surfaced, withdrawn ones too, our own answers are not",
                 "[accumulator]") {
    const auto turn = prompt();
    lines(
        {init,
         R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1","input":{"a": 1},"agent_id":"a"}})",
         R"({"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow"}}})",
         R"({"type":"control_request","request_id":"r2","request":{"subtype":"hook_callback","callback_id":"c"}})",
         R"({"type":"control_cancel_request","request_id":"r2"})",
         R"({"type":"control_response","response":{"subtype":"error","request_id":"mine","error":"no"}})"});
    const auto asked = all<PermissionAsked>(effects).at(0);
    CHECK(asked.turn == turn);
    CHECK(asked.tool_name == "Bash");
    CHECK(asked.input == R"({"a": 1})");
    CHECK(all<HostAsked>(effects).at(0).subtype == "hook_callback");
    CHECK(all<RequestWithdrawn>(effects).at(0).request_id == "r2");
    const auto answers = all<ControlAnswered>(effects);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].request_id == "mine");
    CHECK(answers[0].error == "no");
    CHECK_FALSE(answers[0].success);
}

TEST_CASE_METHOD(World, "retries, limits and compaction are told between messages", "[accumulator]") {
    prompt();
    lines(
        {init,
         R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":4,"retry_delay_ms":612.5,"error_status":429,"error":"rate_limit","uuid":"u","session_id":"s"})",
         R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794978464}})",
         R"({"type":"system","subtype":"status","status":"compacting"})",
         R"({"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto"}})"});
    const auto told_status = events<StatusEvent>(effects);
    REQUIRE(told_status.size() == 5);
    CHECK(told_status[1].status == "retry");
    CHECK(told_status[1].data == Json{{"attempt", 1},
                                      {"max_retries", 4},
                                      {"retry_delay_ms", 612.5},
                                      {"error_status", 429},
                                      {"error", "rate_limit"}});
    CHECK(told_status[2].status == "rate_limit");
    CHECK(told_status[3].status == "compacting");
    CHECK(all<AddPassthrough>(effects).at(0).event_type == "compact_boundary");
    ends(1);
    CHECK(events<ErrorEvent>(effects).at(0).kind == ErrorKind::rate_limited);
    CHECK(events<ErrorEvent>(effects).at(0).resets_at == 1794978464);
}

TEST_CASE_METHOD(World, "a retry that worked is no reason for a later crash", "[accumulator]") {
    prompt();
    lines({init, R"({"type":"system","subtype":"api_retry","error":"rate_limit","error_status":429})",
           start("m1")});
    ends(1);
    CHECK(events<ErrorEvent>(effects).at(0).kind == ErrorKind::crashed);
}

TEST_CASE_METHOD(World, "what has no meaning for us is kept verbatim, as node and event", "[accumulator]") {
    const auto turn = prompt();
    const std::string strange =
        GENERATE(R"({"type":"telepathy","x":[1, 2]})", R"({"type":"system","subtype":"aura","x":1})",
                 R"({"type":"assistant","message":"?"})", R"([1,2])", "not json");
    lines({init, strange});
    const auto node = all<AddPassthrough>(effects).at(0);
    CHECK(node.turn == turn);
    const auto emit = all<Emit>(effects).back();
    const auto event = std::get<PassthroughEvent>(emit.event);
    CHECK(emit.position == node.node);
    CHECK(event.data == Json::parse(node.data));
    if (strange == "not json") CHECK(event.data["text"] == strange);
    else CHECK(node.data == strange);
}

TEST_CASE_METHOD(World, "pieces of a stream we do not know are told as they came", "[accumulator]") {
    prompt();
    lines(
        {init, start("m1"), block_start(0, text_block),
         R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}})",
         R"({"type":"stream_event","event":{"type":"aura"}})"});
    CHECK(events<PassthroughEvent>(effects).size() == 2);
}

TEST_CASE_METHOD(World, "the transcript settles how a message ended, also after its turn", "[accumulator]") {
    prompt();
    lines(
        {init, assistant("m1", says("x")), success,
         R"({"type":"transcript_mirror","entries":[{"type":"user"},{"type":"assistant","message":{"id":"m1","stop_reason":"end_turn","usage":{"output_tokens":7}}},)"
         R"({"type":"assistant","message":{"id":"unknown","stop_reason":"end_turn"}}]})"});
    const auto updates = all<UpdateMessage>(effects);
    REQUIRE(updates.size() == 2);
    CHECK_FALSE(updates[0].final);
    CHECK(updates[1].final);
    CHECK(updates[1].stop_reason == "end_turn");
    CHECK(updates[1].usage == R"({"output_tokens":7})");
}

TEST_CASE_METHOD(World, "entries the CLI takes back are named", "[accumulator]") {
    prompt();
    lines({init, assistant("m1", says("x"), R"(,"supersedes":["u0"])"),
           R"({"type":"system","subtype":"model_refusal_fallback","retracted_message_uuids":["u1","u2"]})"});
    CHECK(all<Retracted>(effects).at(0).cli_uuids == Words{"u0"});
    CHECK(all<Retracted>(effects).at(1).cli_uuids == Words{"u1", "u2"});
}

TEST_CASE_METHOD(World, "a process that dies leaves no open turn, block or message", "[accumulator]") {
    const auto turn = prompt();
    lines({init, start("m1"), block_start(0, text_block), delta(0, "half")});
    ends(143);
    CHECK(told(turn) == Words{"start", "user_message", "status", "content_start 0", "content_delta 0 half",
                              "content_end 0 abandoned", "error"});
    CHECK(all<EndTurn>(effects).at(0).outcome->kind == ErrorKind::crashed);
    CHECK(all<EndTurn>(effects).at(0).head == all<AddMessage>(effects).at(0).node);
    CHECK_FALSE(accumulator.busy());
    const auto before = effects.size();
    ends(0);
    CHECK(effects.size() == before);
}

TEST_CASE_METHOD(World, "a caller's cancel and our own failures end every open turn with their kind",
                 "[accumulator]") {
    prompt();
    lines({init});
    SECTION("cancelled, then killed") {
        accumulator.stopping(ErrorKind::cancelled);
        accumulator.finish({std::nullopt, 9, ""});
        collect();
        CHECK(events<ErrorEvent>(effects).at(0).kind == ErrorKind::cancelled);
    }
    SECTION("the store failed") {
        TurnError error;
        error.kind = ErrorKind::storage;
        error.message = "disk full";
        accumulator.fail(error);
        collect();
        CHECK(events<ErrorEvent>(effects).at(0).kind == ErrorKind::storage);
        CHECK(events<ErrorEvent>(effects).at(0).message == "disk full");
    }
    CHECK_FALSE(accumulator.busy());
}

TEST_CASE_METHOD(World, "a flood between turns is passed on, not held", "[accumulator]") {
    prompt();
    lines({init, success});
    for (int i = 0; i < 200; ++i) lines({replayed("x" + std::to_string(i), "noise")});
    CHECK(all<AddPassthrough>(effects).size() == 136);
    ends(0);
    CHECK(all<AddPassthrough>(effects).size() == 136);
    CHECK(all<AddMessage>(effects).size() == 1 + 64);
}

TEST_CASE_METHOD(World, "a process we did not begin a turn on is mirrored all the same", "[accumulator]") {
    lines({start("m1"), block_start(0, text_block), delta(0, "hi"), assistant("m1", says("hi")), stop,
           success});
    CHECK(contents() == Words{"hi"});
    CHECK(all<OpenTurn>(effects).at(0).origin == TurnOrigin::cli);
    CHECK(events<CompleteEvent>(effects).size() == 1);
}
