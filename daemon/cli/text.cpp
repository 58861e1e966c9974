#include "daemon/cli/text.hpp"

#include <algorithm>

namespace plexus::cli {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string escaped(unsigned char c) {
    constexpr auto digits = "0123456789abcdef";
    return {'\\', 'x', digits[c >> 4], digits[c & 15]};
}

}  // namespace

std::string Paint::with(std::string_view code, std::string_view text) const {
    if (!on || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (c1) shown += escaped(static_cast<unsigned char>(text[++i]));
        else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) shown += escaped(c);
        else shown += text[i];
    }
    return shown;
}

std::size_t width(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') i = std::min(text.find('m', i), text.size());
        else if (!continues(text[i])) ++count;
    }
    return count;
}

std::string one_line(std::string_view text, std::size_t most) {
    std::string line;
    for (const char c : printable(text)) {
        if (c == '\n') line += "↵";
        else line += c == '\t' ? ' ' : c;
    }
    if (width(line) <= most) return line;
    std::size_t end = 0;
    for (std::size_t shown = 0; end < line.size(); ++end)
        if (!continues(line[end]) && ++shown == most) break;
    return line.substr(0, end) + "…";
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
    std::vector<std::size_t> widest;
    for (const auto& row : rows) {
        widest.resize(std::max(widest.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widest[i] = std::max(widest[i], width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widest[i] - width(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string indented(std::string_view text, std::size_t indent) {
    std::string result;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        result += std::string(indent, ' ') + std::string(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

}  // namespace plexus::cli
