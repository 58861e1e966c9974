#include "activations/claudecode/classic_view.hpp"

namespace plexus::claudecode {
namespace {

using schema::Json;

// The named fields of the event, under the given type.
Json pick(const Json& event, const char* type, std::initializer_list<const char*> fields) {
    Json classic = {{"type", type}};
    for (const auto* field : fields)
        if (const auto found = event.find(field); found != event.end()) classic[field] = *found;
    return classic;
}

Json classic_usage(const Json& event) {
    const auto usage = event.find("usage");
    if (usage == event.end() || !usage->is_object()) return nullptr;
    Json classic = Json::object();
    for (const auto* field : {"input_tokens", "output_tokens", "cost_usd", "num_turns"})
        classic[field] = usage->value(field, Json());
    return classic;
}

Json classic_start(const Json& event) {
    const auto where = event.contains("user_position") ? "user_position" : "turn_position";
    return {{"type", "start"}, {"id", event.value("id", "")}, {"user_position", event.value(where, Json())}};
}

}  // namespace

std::optional<Json> classic_view(const Json& event) {
    const auto type = event.value("type", "");
    if (event.contains("parent_tool_use_id") || event.value("abandoned", false)) return std::nullopt;
    if (type == "start") return classic_start(event);
    if (type == "content_delta") return pick(event, "content", {"text"});
    if (type == "thinking_delta") return Json{{"type", "thinking"}, {"thinking", event.value("text", "")}};
    if (type == "tool_use_end") return pick(event, "tool_use", {"tool_name", "tool_use_id", "input"});
    if (type == "tool_result") return pick(event, "tool_result", {"tool_use_id", "output", "is_error"});
    if (type == "passthrough") return pick(event, "passthrough", {"event_type", "handle", "data"});
    if (type == "error") return pick(event, "error", {"message"});
    if (type == "complete") {
        auto classic = pick(event, "complete", {"new_head", "claude_session_id"});
        classic["usage"] = classic_usage(event);
        return classic;
    }
    return std::nullopt;
}

}  // namespace plexus::claudecode
