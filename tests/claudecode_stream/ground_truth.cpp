#include "tests/claudecode_stream/ground_truth.hpp"

#include <set>

namespace plexus::tests {
namespace {

using namespace claudecode;

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

class Reading {
public:
    Reading(const Recording& recording, std::size_t sent) {
        for (std::size_t i = 0; i < sent; ++i) {
            prompts_.insert(Json::parse(recording.prompts[i].content));
            uuids_.insert(recording.prompts[i].uuid);
        }
        for (const auto& line : recording.json)
            truth_.may_be_silent.push_back(line.is_object() && read(line));
        for (const auto& [key, started] : started_) truth_.abandoned += std::max(0, started - finished_[key]);
    }
    GroundTruth truth() { return std::move(truth_); }

private:
    // Whether the line may lead to nothing of its own.
    bool read(const Json& line) {
        const auto type = text(line, "type");
        const bool idle = open_turns_ <= 0;
        if (text(line, "subtype") == "init") ++open_turns_;
        if (type == "assistant") return assistant(line) || idle;
        if (type == "user") return user(line) || idle;
        if (type == "stream_event") return stream(line["event"]);
        if (type == "control_request") requests_.insert(text(line, "request_id"));
        if (type == "control_response") return requests_.contains(text(line["response"], "request_id"));
        if (type == "transcript_mirror") return transcript(line);
        if (type == "result") {
            --open_turns_;
            truth_.results.push_back(line);
        }
        return type == "keep_alive" || (text(line, "subtype") == "task_notification" && idle);
    }

    bool assistant(const Json& line) {
        const auto& message = line["message"];
        if (line.contains("error")) {
            ++truth_.errors;
            return false;
        }
        for (const auto& block : message["content"]) {
            ++truth_.blocks[text(block, "type")];
            ++finished_[{text(message, "id"), text(block, "type")}];
            add("block", line, text(message, "id"), block);
        }
        const auto reason = text(message, "stop_reason");
        if (!reason.empty()) truth_.endings[text(message, "id")] = {reason, message["usage"]};
        return false;
    }

    bool user(const Json& line) {
        const auto& content = line["message"]["content"];
        if (line.value("isReplay", false) &&
            (uuids_.contains(text(line, "uuid")) || prompts_.contains(content)))
            return true;
        Json rest = content.is_array() ? Json::array() : content;
        if (content.is_array())
            for (const auto& block : content) {
                if (text(block, "type") == "tool_result") {
                    ++truth_.blocks["tool_result"];
                    add("result", line, text(block, "tool_use_id"), block);
                } else {
                    rest.push_back(block);
                }
            }
        if (!rest.empty()) add("user", line, "", rest);
        return false;
    }

    bool stream(const Json& event) {
        const auto type = text(event, "type");
        if (type == "message_start") streaming_ = text(event["message"], "id");
        if (type == "message_delta" && !text(event["delta"], "stop_reason").empty())
            truth_.endings[streaming_] = {text(event["delta"], "stop_reason"), event["usage"]};
        if (type == "content_block_start") {
            const auto kind = text(event["content_block"], "type");
            const bool told =
                kind == "text" || kind == "thinking" || kind == "redacted_thinking" || kind == "tool_use";
            if (told) ++started_[{streaming_, kind}];
            return !told;
        }
        if (type != "content_block_delta") return true;
        for (const auto* key : {"text", "thinking", "partial_json"})
            if (!text(event["delta"], key).empty()) return false;
        return true;
    }

    bool transcript(const Json& line) {
        for (const auto& entry : line["entries"]) {
            if (text(entry, "type") != "assistant") continue;
            const auto& message = entry["message"];
            if (!text(message, "stop_reason").empty())
                truth_.endings.try_emplace(text(message, "id"),
                                           Ending{text(message, "stop_reason"), message["usage"]});
        }
        return true;
    }

    void add(const char* what, const Json& line, const std::string& id, const Json& value) {
        truth_.conversation.push_back(
            {what, text(line, "parent_tool_use_id"), id, text(line, "uuid"), value});
    }

    GroundTruth truth_;
    std::set<Json> prompts_;
    std::set<std::string> uuids_;
    std::set<std::string> requests_;
    std::map<std::pair<std::string, std::string>, int> started_, finished_;
    std::string streaming_;
    int open_turns_ = 0;
};

}  // namespace

GroundTruth read(const Recording& recording, std::size_t sent) { return Reading(recording, sent).truth(); }

std::vector<Entry> conversation_in(const std::vector<Effect>& effects) {
    std::map<Key, std::string> parents, messages;
    std::set<Key> prompts;
    for (const auto& open : all<OpenTurn>(effects)) parents[open.turn] = open.parent_tool_use_id;
    for (const auto& emit : all<Emit>(effects)) prompts.insert(emit.user_position);
    std::vector<Entry> conversation;
    for (const auto& effect : effects) {
        if (const auto* message = std::get_if<AddMessage>(&effect)) {
            messages[message->node] = message->message_id;
            if (message->role == "user" && !prompts.contains(message->node))
                conversation.push_back(
                    {"user", parents[message->turn], "", message->cli_uuid, Json::parse(message->content)});
        } else if (const auto* block = std::get_if<AddBlock>(&effect)) {
            const bool result = block->method == "tool_result";
            conversation.push_back({result ? "result" : "block", parents[block->turn],
                                    result ? block->meta.at(0) : messages[block->message], block->cli_uuid,
                                    Json::parse(block->data)});
        }
    }
    return conversation;
}

}  // namespace plexus::tests
