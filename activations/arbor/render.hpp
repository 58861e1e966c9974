// A tree as lines of text, the way `tree` shows directories. Pure.
#pragma once

#include "hub/handle.hpp"

#include <span>

namespace plexus::arbor {

struct RenderLine {
    std::int64_t depth = 0;  // the first line's is 0
    bool last = true;        // among its siblings
    std::string text;
};

struct Rendering {
    std::string text;
    std::size_t shown = 0;  // how many lines; after them a line says how many are missing
};

// Lines deeper than can sensibly be indented say how much deeper they are: a chain of any length stays O(n).
// `most_bytes` is meant as JSON.
Rendering render(std::span<const RenderLine> lines, std::size_t most_bytes);

// At most 60 bytes, in whole characters, on one line.
std::string shortened(std::string_view text);
// What a handle resolved to, in a few words: `[role:name] text`, `[type]` …
std::string summary(const hub::Handle& handle, const schema::Result<schema::Json>& resolved);

}  // namespace plexus::arbor
