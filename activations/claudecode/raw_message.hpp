// The parts of a user's or assistant's line that are handed on as text, found in one pass over a line that
// is known to be valid. Pure.
#pragma once

#include "activations/claudecode/json_text.hpp"

namespace plexus::claudecode {

struct RawMessage {
    std::string_view content;
    std::vector<std::string_view> blocks;  // of the content, when it is blocks
    std::string_view usage;
    std::string_view tool_use_result;

    // The line is not read further than needed, so it helps to know what is not in it.
    RawMessage(std::string_view line, bool has_tool_use_result);

private:
    void take(JsonCursor& cursor, std::string_view name);
};

}  // namespace plexus::claudecode
