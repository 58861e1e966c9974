// The `classic` view: a stored ChatEvent as the older event set that public clients know
// (start, content, thinking, tool_use, tool_result, complete, passthrough, error). Pure.
#pragma once

#include "schema/error.hpp"

#include <optional>

namespace plexus::claudecode {

// Nothing when the old set has no word for the event. Sub-agents' events are left out: the old set
// cannot tell whose they are, and a reader would take them for the answer.
std::optional<schema::Json> classic_view(const schema::Json& event);

}  // namespace plexus::claudecode
