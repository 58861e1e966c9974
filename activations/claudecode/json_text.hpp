// JSON as text: parts of a line taken out as they were printed, without parsing and printing them
// again, and text of any bytes made fit to stand in JSON. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::claudecode {

// Walks over JSON text that is known to be valid; it stays inside the text even if it is not.
class JsonCursor {
public:
    explicit JsonCursor(std::string_view text) : text_(text) {}

    char peek();
    bool take(char expected) {
        const bool found = peek() == expected;
        at_ += found;
        return found;
    }
    std::size_t position() const { return at_; }
    std::string_view since(std::size_t position) const { return text_.substr(position, at_ - position); }
    // The value that comes next, as text.
    std::string_view value();
    // see(name) for every member of the object that comes next, until it returns false; it must take the
    // value.
    void members(auto&& see) {
        if (!take('{')) return;
        while (peek() == '"') {
            const auto name = value();
            if (name.size() < 2 || !take(':')) return;
            if (!see(name.substr(1, name.size() - 2))) return;
            if (!take(',')) break;
        }
        take('}');
    }
    // The elements of the array that comes next, as text.
    std::vector<std::string_view> elements() {
        std::vector<std::string_view> found;
        if (!take('[')) return found;
        while (peek() != ']' && peek() != '\0') {
            found.push_back(value());
            if (!take(',')) break;
        }
        take(']');
        return found;
    }

private:
    void string();
    void container();
    std::size_t quote(std::size_t from) const;
    bool escaped(std::size_t start) const;

    std::string_view text_;
    std::size_t at_ = 0;
};

// The value of a member, as text; empty when there is none. The object must be valid JSON.
std::string_view raw_member(std::string_view object, std::string_view key);

// The bytes with everything that is not UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view bytes);

// JavaScript prints half of a surrogate pair (text cut in the middle of an emoji) as an escape, and
// integers above 2^64 in full. Both are JSON, but most readers refuse them.
// The line with such halves replaced by U+FFFD.
std::string without_half_pairs(std::string_view line);
// The line with such numbers rounded; nullopt when it is not valid JSON or nested too deep.
std::optional<std::string> with_rounded_numbers(std::string_view line, std::size_t max_depth);

}  // namespace plexus::claudecode
