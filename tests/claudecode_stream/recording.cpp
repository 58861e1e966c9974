#include "tests/claudecode_stream/recording.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>
#include <sstream>

namespace plexus::tests {
namespace {

using namespace claudecode;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

bool has(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<Accumulator::Prompt> prompts_of(const std::filesystem::path& folder) {
    const auto arguments = lines_of(text_of(folder / "args.txt"));
    const auto input = text_of(folder / "stdin.jsonl");
    if (has(arguments, "--rewind-files")) return {};
    if (!has(arguments, "--input-format"))
        return {{"", Json(input.empty() ? arguments.back() : input.substr(0, input.find('\n'))).dump()}};
    std::vector<Accumulator::Prompt> prompts;
    for (const auto& line : lines_of(input)) {
        const auto json = Json::parse(line, nullptr, false);
        if (json.is_object() && json.value("type", "") == "user" && json.contains("message"))
            prompts.push_back({json.value("uuid", ""), json["message"]["content"].dump()});
    }
    return prompts;
}

ProcessEnd end_of(const std::filesystem::path& folder) {
    ProcessEnd end;
    const auto code = lines_of(text_of(folder / "exit_code")).at(0);
    if (code == "signal SIGKILL") end.signal = SIGKILL;
    else end.exit = std::stoi(code);
    end.stderr_tail = text_of(folder / "stderr.txt");
    return end;
}

std::vector<Recording> load_all() {
    std::vector<Recording> loaded;
    for (const auto* version : {"2.1.197", "2.1.326"}) {
        std::map<std::string, std::filesystem::path> folders;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PLEXUS_TEST_DATA) /
                                                                     "recordings" / version))
            folders[entry.path().filename().string()] = entry.path();
        for (const auto& [name, folder] : folders) {
            Recording recording{
                version, name, text_of(folder / "stdout.jsonl"), {}, {}, prompts_of(folder), end_of(folder)};
            recording.lines = lines_of(recording.output);
            for (const auto& line : recording.lines)
                recording.json.push_back(Json::parse(line, nullptr, false));
            loaded.push_back(std::move(recording));
        }
    }
    return loaded;
}

// When each prompt was sent is not in the recording's lines. It is sent before the turn it begins: every
// `init` begins one, and those the CLI began by itself say so in their result.
class Sender {
public:
    explicit Sender(const Recording& recording) : recording_(recording) {
        for (const auto& line : recording.json) {
            if (!line.is_object()) continue;
            if (line.value("subtype", "") == "init") by_prompt_.push_back(true);
            if (line.value("type", "") != "result") continue;
            if (results_ < by_prompt_.size()) by_prompt_[results_] = !line.contains("origin");
            ++results_;
        }
        if (by_prompt_.empty()) by_prompt_.push_back(true);
    }
    void before(const Json& line, Accumulator& accumulator) {
        if (line.is_object() && line.value("type", "") == "result") ++ended_;
        const bool init = line.is_object() && line.value("subtype", "") == "init";
        if (!begun_ && (init || announces(line)) && by_prompt_.at(turn_)) begin(accumulator);
        if (!init) return;
        begun_ = false;
        ++started_;
        if (turn_ + 1 < by_prompt_.size()) ++turn_;
    }
    // A CLI that never got to an init was sent its prompt all the same.
    void at_start(Accumulator& accumulator) {
        for (const auto& line : recording_.json)
            if (line.is_object() && line.value("subtype", "") == "init") return;
        begin(accumulator);
    }

    std::size_t sent() const { return next_; }

private:
    void begin(Accumulator& accumulator) {
        if (next_ >= recording_.prompts.size()) return;
        accumulator.begin_turn(recording_.prompts[next_++]);
        begun_ = true;
    }
    bool announces(const Json& line) const {
        // A prompt that was sent during a turn is one the daemon would have held back.
        if (!line.is_object() || next_ >= recording_.prompts.size() || started_ > ended_) return false;
        const auto& uuid = recording_.prompts[next_].uuid;
        if (line.value("type", "") == "command_lifecycle")
            return line["state"] == "started" && !uuid.empty() && line["command_uuid"] == uuid;
        return line.contains("status") && line["status"] == "compacting";
    }

    const Recording& recording_;
    std::vector<bool> by_prompt_;
    std::size_t results_ = 0, turn_ = 0, next_ = 0, started_ = 0, ended_ = 0;
    bool begun_ = false;
};

}  // namespace

const std::vector<Recording>& recordings() {
    static const auto loaded = load_all();
    return loaded;
}

const Recording& recording(const std::string& version, const std::string& name) {
    for (const auto& candidate : recordings())
        if (candidate.version == version && candidate.name == name) return candidate;
    FAIL("no recording " << version << "/" << name);
    std::abort();
}

Replay replay(const Recording& recording, const std::vector<std::size_t>& chunks) {
    Replay result;
    Accumulator accumulator;
    LineSplitter splitter;
    StreamParser parser;
    Sender sender(recording);
    const auto collect = [&] {
        auto effects = accumulator.take();
        const auto count = effects.size();
        std::move(effects.begin(), effects.end(), std::back_inserter(result.effects));
        return count;
    };
    const auto drain = [&] {
        while (const auto line = splitter.next()) {
            const auto number = result.effects_of_line.size();
            REQUIRE(line->text == recording.lines.at(number));
            sender.before(recording.json[number], accumulator);
            collect();
            accumulator.consume(parser.parse(*line));
            result.effects_of_line.push_back(collect());
        }
    };
    sender.at_start(accumulator);
    collect();
    std::string_view rest = recording.output;
    for (std::size_t i = 0; !rest.empty(); ++i) {
        const auto size = chunks.empty() ? rest.size() : std::min(rest.size(), chunks[i % chunks.size()]);
        const std::string chunk(rest.substr(0, size));  // its own memory, so that a stale view shows
        rest.remove_prefix(size);
        splitter.feed(chunk);
        drain();
    }
    splitter.close();
    drain();
    accumulator.finish(recording.end);
    collect();
    result.sent = sender.sent();
    return result;
}

std::vector<std::string> shown(const std::vector<Effect>& effects) {
    struct Show {
        Json operator()(const OpenTurn& e) { return {"open", e.turn, int(e.origin), e.parent, e.metadata}; }
        Json operator()(const AddMessage& e) {
            return {"message", e.node,     e.turn,    e.role,     e.message_id,
                    e.model,   e.cli_uuid, e.content, e.synthetic};
        }
        Json operator()(const AddBlock& e) {
            return {"block",  e.node, e.message, e.after,   e.turn,
                    e.method, e.meta, e.data,    e.details, e.cli_uuid};
        }
        Json operator()(const UpdateMessage& e) {
            return {"update", e.message, e.stop_reason, e.usage, e.final};
        }
        Json operator()(const AddPassthrough& e) { return {"pass", e.node, e.turn, e.event_type, e.data}; }
        Json operator()(const Emit& e) {
            return {"emit", e.turn, schema::encode(e.event), e.position, e.user_position};
        }
        Json operator()(const EndTurn& e) {
            return {"end", e.turn, e.outcome ? Json(int(e.outcome->kind)) : Json(), schema::encode(e.usage),
                    e.head};
        }
        Json operator()(const SessionSeen& e) { return {"session", e.session_id, e.model, e.data}; }
        Json operator()(const PromptAcknowledged& e) { return {"acknowledged", e.turn, e.uuid}; }
        Json operator()(const PermissionAsked& e) { return {"permission", e.turn, e.request_id, e.request}; }
        Json operator()(const HostAsked& e) { return {"host", e.request_id, e.subtype, e.request}; }
        Json operator()(const RequestWithdrawn& e) { return {"withdrawn", e.request_id}; }
        Json operator()(const ControlAnswered& e) {
            return {"answered", e.request_id, e.success, e.response};
        }
        Json operator()(const Retracted& e) { return {"retracted", e.cli_uuids}; }
    };
    std::vector<std::string> texts;
    for (const auto& effect : effects) texts.push_back(std::visit(Show{}, effect).dump());
    return texts;
}

}  // namespace plexus::tests
