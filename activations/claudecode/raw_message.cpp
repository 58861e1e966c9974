#include "activations/claudecode/raw_message.hpp"

#include <utility>

namespace plexus::claudecode {

RawMessage::RawMessage(std::string_view line, bool has_tool_use_result) {
    JsonCursor cursor(line);
    bool message = true, result = has_tool_use_result;
    cursor.members([&](std::string_view name) {
        if (name == "message" && std::exchange(message, false)) {
            cursor.members([&](std::string_view inner) { return take(cursor, inner), true; });
        } else {
            const auto value = cursor.value();
            if (name == "tool_use_result" && std::exchange(result, false)) tool_use_result = value;
        }
        return message || result;
    });
}

// Of members with the same name the first counts, as it does for simdjson.
void RawMessage::take(JsonCursor& cursor, std::string_view name) {
    if (name == "content" && content.empty() && cursor.peek() == '[') {
        const auto start = cursor.position();
        blocks = cursor.elements();
        content = cursor.since(start);
        return;
    }
    const auto value = cursor.value();
    if (name == "content" && content.empty()) content = value;
    if (name == "usage" && usage.empty()) usage = value;
}

}  // namespace plexus::claudecode
