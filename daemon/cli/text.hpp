// Text for a terminal: colours, widths, columns, and nothing that could drive the terminal itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plexus::cli {

struct Paint {
    bool on = false;
    std::string bold(std::string_view text) const { return with("1", text); }
    std::string dim(std::string_view text) const { return with("2", text); }
    std::string red(std::string_view text) const { return with("31", text); }
    std::string green(std::string_view text) const { return with("32", text); }
    std::string yellow(std::string_view text) const { return with("33", text); }
    std::string cyan(std::string_view text) const { return with("36", text); }

private:
    std::string with(std::string_view code, std::string_view text) const;
};

// Control characters shown as \x1b and the like: what an agent writes must not move the cursor or retitle the
// window of whoever reads it. Line breaks and tabs stay.
std::string printable(std::string_view text);

// Characters as shown, our own colours not counted.
std::size_t width(std::string_view text);
// At most `most` characters, the last an ellipsis when something is missing. Line breaks become ↵.
std::string one_line(std::string_view text, std::size_t most);

// Rows with their cells lined up, each line indented; the last cell of a row is not padded.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

std::string indented(std::string_view text, std::size_t indent);

}  // namespace plexus::cli
