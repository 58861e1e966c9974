// Every recording of both CLI versions, judged by what its raw lines say.
#include "tests/claudecode_stream/ground_truth.hpp"
#include "tests/claudecode_stream/outcome_table.hpp"

#include <catch2/catch.hpp>

#include <iostream>
#include <set>
#include <sstream>

using namespace plexus;
using namespace plexus::claudecode;
using namespace plexus::tests;

namespace {

std::string outcomes_in(const std::vector<Effect>& effects) {
    std::string outcomes;
    for (const auto& end : all<EndTurn>(effects)) {
        if (!outcomes.empty()) outcomes += ' ';
        outcomes += end.outcome ? schema::Codec<ErrorKind>::name(end.outcome->kind) : "complete";
    }
    return outcomes;
}

// The blocks of each message as they stand in the tree.
std::map<Key, std::vector<AddBlock>> tree_of(const std::vector<Effect>& effects) {
    std::map<Key, std::vector<AddBlock>> tree;
    for (const auto& block : all<AddBlock>(effects)) {
        auto& siblings = tree[block.message];
        auto place = siblings.end();
        if (block.after != no_key) {
            place = std::ranges::find(siblings, block.after, &AddBlock::node);
            REQUIRE(place != siblings.end());
            ++place;
        }
        siblings.insert(place, block);
    }
    return tree;
}

// Follows a stream as a reader would and checks that what it was told is what was written.
class Reader {
public:
    explicit Reader(const std::vector<Effect>& effects) {
        for (const auto& block : all<AddBlock>(effects)) written_[block.node] = Json::parse(block.data);
        for (const auto& effect : effects)
            if (const auto* emit = std::get_if<Emit>(&effect))
                std::visit([&](const auto& event) { see(*emit, event); }, emit->event);
        CHECK(open_.empty());
    }
    std::map<std::string, int> committed;
    int abandoned = 0, results = 0;

private:
    using Place = std::pair<std::string, std::int64_t>;
    template <class Event>
    static Place place(const Event& event) {
        return {event.parent_tool_use_id.value_or(""), event.block_index};
    }
    template <class Event>
    void begin(const Event& event) {
        CHECK(open_.emplace(place(event), "").second);
    }
    template <class Event>
    void more(const Event& event, const std::string& text) {
        REQUIRE(open_.contains(place(event)));
        open_[place(event)] += text;
    }
    template <class Event>
    void end(const Emit& emit, const Event& event, const char* kind, const char* key) {
        REQUIRE(open_.contains(place(event)));
        const auto text = open_.extract(place(event)).mapped();
        abandoned += event.abandoned.value_or(false);
        CHECK(event.abandoned.value_or(false) == (emit.position == no_key));
        if (emit.position == no_key) return;
        ++committed[kind];
        if (key) CHECK(written_.at(emit.position).value(key, "") == text);
    }
    void see(const Emit&, const ContentStartEvent& event) { begin(event); }
    void see(const Emit&, const ThinkingStartEvent& event) { begin(event); }
    void see(const Emit&, const ToolUseStartEvent& event) { begin(event); }
    void see(const Emit&, const ContentDeltaEvent& event) { more(event, event.text); }
    void see(const Emit&, const ThinkingDeltaEvent& event) { more(event, event.text); }
    void see(const Emit&, const ToolUseDeltaEvent& event) { more(event, event.partial_json); }
    void see(const Emit& emit, const ContentEndEvent& event) { end(emit, event, "text", "text"); }
    void see(const Emit& emit, const ThinkingEndEvent& event) { end(emit, event, "thinking", "thinking"); }
    void see(const Emit& emit, const ToolUseEndEvent& event) {
        end(emit, event, "tool_use", nullptr);
        if (emit.position == no_key) return;
        CHECK(written_.at(emit.position)["input"] == event.input);
        CHECK(written_.at(emit.position)["id"] == event.tool_use_id);
    }
    void see(const Emit& emit, const ToolResultEvent& event) {
        ++results;
        CHECK(written_.at(emit.position)["tool_use_id"] == event.tool_use_id);
        if (const auto& content = written_.at(emit.position)["content"]; content.is_string())
            CHECK(content == event.output);
    }
    template <class Event>
    void see(const Emit&, const Event&) {}

    std::map<Key, Json> written_;
    std::map<Place, std::string> open_;
};

void check_turns(const std::vector<Effect>& effects) {
    std::set<Key> started, told, ended;
    for (const auto& effect : effects) {
        if (const auto* end = std::get_if<EndTurn>(&effect)) {
            CHECK(told.contains(end->turn));
            CHECK(ended.insert(end->turn).second);
        }
        const auto* emit = std::get_if<Emit>(&effect);
        if (!emit || emit->turn == no_key) continue;
        const bool is_start = std::holds_alternative<StartEvent>(emit->event);
        CHECK(is_start == started.insert(emit->turn).second);  // `start` first, and once
        CHECK_FALSE(told.contains(emit->turn));                // nothing behind the last event
        if (is_terminal(emit->event)) told.insert(emit->turn);
    }
    CHECK(started == ended);
}

void check_tree(const std::vector<Effect>& effects) {
    for (const auto& [message, blocks] : tree_of(effects)) {
        CHECK(message != no_key);
        std::string last_call;
        for (const auto& block : blocks) {
            if (block.method == "tool_result") CHECK(block.meta.at(0) == last_call);
            else last_call = block.method == "tool_use" ? block.meta.at(0) : "";
        }
    }
}

void check_usage(const GroundTruth& truth, const std::vector<Effect>& effects) {
    std::vector<EndTurn> ends;
    for (const auto& end : all<EndTurn>(effects))
        if (!end.result.empty()) ends.push_back(end);
    REQUIRE(ends.size() == truth.results.size());
    double spent = 0, by_model = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const auto& line = truth.results[i];
        const auto& usage = ends[i].usage;
        CHECK(Json::parse(ends[i].result) == line);
        CHECK(usage.input_tokens == line["usage"]["input_tokens"]);
        CHECK(usage.output_tokens == line["usage"]["output_tokens"]);
        CHECK(usage.cache_read_input_tokens == line["usage"]["cache_read_input_tokens"]);
        CHECK(usage.cache_creation_input_tokens == line["usage"]["cache_creation_input_tokens"]);
        CHECK(usage.total_cost_usd == line["total_cost_usd"]);
        CHECK(usage.num_turns == line["num_turns"]);
        CHECK(usage.duration_ms == line["duration_ms"]);
        spent += usage.cost_usd;
        for (const auto& [name, model] : usage.models) by_model += model.cost_usd;
        if (line.contains("model_usage_since_last_result")) {
            double said = 0;
            for (const auto& model : line["model_usage_since_last_result"])
                said += model["costUSD"].get<double>();
            CHECK(usage.cost_usd == Approx(said).margin(1e-9));
        } else {
            CHECK(spent == Approx(line["total_cost_usd"].get<double>()).margin(1e-9));
        }
    }
    // In the end, not at each turn: a result that was held back counts what the models did meanwhile.
    CHECK(by_model == Approx(spent).margin(1e-9));
}

int check_endings(const GroundTruth& truth, const std::vector<Effect>& effects) {
    std::map<Key, UpdateMessage> last;
    for (const auto& update : all<UpdateMessage>(effects)) last[update.message] = update;
    int endings = 0;
    for (const auto& message : all<AddMessage>(effects)) {
        const auto said = truth.endings.find(message.message_id);
        if (message.role != "assistant" || said == truth.endings.end()) continue;
        REQUIRE(last.contains(message.node));
        CHECK(last[message.node].stop_reason == said->second.stop_reason);
        CHECK(Json::parse(last[message.node].usage) == said->second.usage);
        CHECK(last[message.node].final);
        ++endings;
    }
    return endings;
}

}  // namespace

TEST_CASE("every recording is mirrored block for block and ends as its situation calls for", "[recordings]") {
    REQUIRE(recordings().size() == 467);
    std::map<std::string, std::size_t> total;
    for (const auto& recording : recordings()) {
        INFO(recording.title());
        const bool newer = recording.version == "2.1.326";
        const auto [effects, effects_of_line, sent] = replay(recording);
        const auto truth = read(recording, sent);

        const auto mirrored = conversation_in(effects);
        REQUIRE(mirrored.size() == truth.conversation.size());  // nothing lost, nothing doubled
        for (std::size_t i = 0; i < mirrored.size(); ++i) {
            INFO("entry " << i);
            CHECK(mirrored[i].what == truth.conversation[i].what);
            CHECK(mirrored[i].parent == truth.conversation[i].parent);
            CHECK(mirrored[i].id == truth.conversation[i].id);
            CHECK(mirrored[i].uuid == truth.conversation[i].uuid);
            CHECK(mirrored[i].value == truth.conversation[i].value);
        }
        check_tree(effects);
        check_turns(effects);
        check_usage(truth, effects);
        total["message endings"] += static_cast<std::size_t>(check_endings(truth, effects));

        Reader reader(effects);
        auto blocks = truth.blocks;
        blocks["thinking"] += blocks["redacted_thinking"];
        for (const auto* kind : {"text", "thinking", "tool_use"})
            CHECK(reader.committed[kind] == blocks[kind]);
        CHECK(reader.results == blocks["tool_result"]);
        CHECK(reader.abandoned == truth.abandoned);

        const auto passed = all<AddPassthrough>(effects);
        CHECK(std::ranges::count(passed, "assistant_error", &AddPassthrough::event_type) == truth.errors);
        REQUIRE(effects_of_line.size() == recording.lines.size());
        for (std::size_t i = 0; i < effects_of_line.size(); ++i) {
            INFO("line " << i << ": " << recording.lines[i].substr(0, 300));
            CHECK((effects_of_line[i] > 0 || truth.may_be_silent[i]));
        }

        const auto expected = std::ranges::find(outcome_table, recording.name, &ExpectedOutcome::name);
        REQUIRE(expected != std::end(outcome_table));
        CHECK(outcomes_in(effects) == (newer ? expected->newer : expected->older));

        ++total["cases"];
        total["lines"] += recording.lines.size();
        for (const auto& [kind, count] : truth.blocks)
            total["block " + kind] += static_cast<std::size_t>(count);
        total["block abandoned"] += static_cast<std::size_t>(truth.abandoned);
        total["user messages"] +=
            static_cast<std::size_t>(std::ranges::count(truth.conversation, "user", &Entry::what));
        std::istringstream words(outcomes_in(effects));
        for (std::string word; words >> word;) ++total["turn " + word], ++total["turns"];
    }
    for (const auto& [what, count] : total) std::cout << what << ": " << count << "\n";
}
