#include "activations/claudecode/json_text.hpp"

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace plexus::claudecode {
namespace {

std::size_t nesting(std::string_view line) {
    std::size_t depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '\\') ++i;
        else if (c == '"') quoted = !quoted;
        else if (!quoted && (c == '{' || c == '[')) deepest = std::max(deepest, ++depth);
        else if (!quoted && (c == '}' || c == ']') && depth > 0) --depth;
    }
    return deepest;
}

// The code unit of the \uXXXX escape that starts here, if one does.
std::optional<unsigned> code_unit(std::string_view text) {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(2, 4)) {
        const char* digits = "0123456789abcdef0123456789ABCDEF";
        const auto* found = c ? std::strchr(digits, c) : nullptr;
        if (!found) return std::nullopt;
        value = value * 16 + static_cast<unsigned>((found - digits) % 16);
    }
    return value;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool ends_scalar(char c) { return c == ',' || c == ']' || c == '}' || is_space(c); }

bool is_high(std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit < 0xDC00; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit < 0xE000; }

}  // namespace

char JsonCursor::peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

std::string_view JsonCursor::value() {
    const char first = peek();
    const auto start = at_;
    if (first == '"') string();
    else if (first == '{' || first == '[') container();
    else
        while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
}

void JsonCursor::string() {
    const auto start = at_;
    do {
        at_ = quote(at_ + 1);
    } while (at_ < text_.size() && escaped(start));
    at_ = std::min(at_ + 1, text_.size());
}

// Most strings are short; for those a loop beats the call that long ones deserve.
std::size_t JsonCursor::quote(std::size_t from) const {
    for (const auto near = std::min(from + 32, text_.size()); from < near; ++from)
        if (text_[from] == '"') return from;
    return std::min(text_.find('"', from), text_.size());
}

bool JsonCursor::escaped(std::size_t start) const {
    auto before = at_;
    while (before > start + 1 && text_[before - 1] == '\\') --before;
    return (at_ - before) % 2 == 1;
}

void JsonCursor::container() {
    for (std::size_t depth = 0; at_ < text_.size();) {
        const char c = text_[at_];
        if (c == '"') {
            string();
            continue;
        }
        ++at_;
        if (c == '{' || c == '[') ++depth;
        else if ((c == '}' || c == ']') && --depth == 0) return;
    }
}

std::string_view raw_member(std::string_view object, std::string_view key) {
    std::string_view found;
    JsonCursor cursor(object);
    cursor.members([&](std::string_view name) {
        const auto value = cursor.value();
        if (name == key) found = value;
        return name != key;
    });
    return found;
}

std::string to_utf8(std::string_view bytes) {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) return std::string(bytes);
    std::string out;
    for (std::size_t i = 0; i < bytes.size();) {
        std::size_t length = 1;
        while (length <= 4 && i + length <= bytes.size() && !simdjson::validate_utf8(&bytes[i], length))
            ++length;
        const bool valid = length <= 4 && i + length <= bytes.size();
        out += valid ? bytes.substr(i, length) : "\xEF\xBF\xBD";
        i += valid ? length : 1;
    }
    return out;
}

std::string without_half_pairs(std::string_view line) {
    std::string out;
    out.reserve(line.size());
    for (std::size_t i = 0; i < line.size();) {
        const auto unit = code_unit(line.substr(i));
        std::size_t length = unit ? 6 : line[i] == '\\' ? 2 : 1;
        if (is_high(unit) && is_low(code_unit(line.substr(i + 6)))) length = 12;
        else if (is_high(unit) || is_low(unit)) {
            out += "\\ufffd";
            i += length;
            continue;
        }
        out += line.substr(i, length);
        i += length;
    }
    return out;
}

std::optional<std::string> with_rounded_numbers(std::string_view line, std::size_t max_depth) {
    if (nesting(line) > max_depth) return std::nullopt;  // printing it again would recurse
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    return json.dump();
}

}  // namespace plexus::claudecode
