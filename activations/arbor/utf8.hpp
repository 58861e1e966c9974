// Just enough UTF-8 for text that is checked, counted and cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plexus::arbor {

bool is_utf8(std::string_view text);
std::int64_t count_characters(std::string_view text);
// The longest beginning that has at most `bytes` bytes and does not end within a character.
std::string_view cut(std::string_view text, std::size_t bytes);

}  // namespace plexus::arbor
