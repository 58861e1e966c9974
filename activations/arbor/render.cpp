#include "activations/arbor/render.hpp"

#include "activations/arbor/utf8.hpp"
#include "schema/rpc.hpp"

#include <algorithm>

namespace plexus::arbor {

namespace {

using schema::Json;

constexpr std::int64_t most_levels = 32;
constexpr std::size_t around = 32;  // a line's branch, depth and newline

std::size_t size_as_json(std::string_view text) {
    return text.size() + static_cast<std::size_t>(
                             std::ranges::count_if(text, [](char c) { return c == '"' || c == '\\'; }));
}

std::string text_in(const Json& json, std::initializer_list<const char*> names) {
    for (const auto* name : names)
        if (const auto found = json.find(name); found != json.end() && found->is_string())
            return found->get<std::string>();
    return "";
}

}  // namespace

Rendering render(std::span<const RenderLine> lines, std::size_t most_bytes) {
    Rendering result;
    std::string prefix;
    std::size_t spent = 0;
    std::vector<std::size_t> ends{0};  // ends[d]: how much of the prefix stands before a line of depth d
    for (const auto& line : lines) {
        const auto level = static_cast<std::size_t>(std::min(line.depth, most_levels));
        prefix.resize(ends[level]);
        ends.resize(level + 1);
        auto& text = result.text;
        spent += prefix.size() + size_as_json(line.text) + around;
        if (spent + around > most_bytes) {
            text += "\n… and " + std::to_string(lines.size() - result.shown) + " more nodes";
            return result;
        }
        if (result.shown++ > 0) text += '\n';
        text += prefix;
        text += line.last ? "└── " : "├── ";
        if (line.depth > most_levels) text += "(+" + std::to_string(line.depth - most_levels) + ") ";
        text += line.text;
        if (line.depth < most_levels) {
            prefix += line.last ? "    " : "│   ";
            ends.push_back(prefix.size());
        }
    }
    return result;
}

std::string shortened(std::string_view text) {
    const bool whole = text.size() <= 60;
    std::string line;
    for (const char c : whole ? text : cut(text, 57)) {
        if (c == '\n') line += "↵";
        else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) line += c;
        else if (c != '\r') line += ' ';
    }
    return whole ? line : line + "...";
}

std::string summary(const hub::Handle& handle, const schema::Result<Json>& resolved) {
    if (!resolved) return shortened("[unresolved: " + handle.method + " - " + resolved.error().message + "]");
    const auto& json = *resolved;
    if (json.is_null() || (json.is_object() && json.empty()))
        return shortened("[empty: " + handle.text() + "]");
    if (!json.is_object()) return shortened(cut(schema::to_json_text(json), 47));
    const auto type = text_in(json, {"type"}), role = text_in(json, {"role"}), name = text_in(json, {"name"});
    auto text = text_in(json, {"content", "text", "thinking"});
    if (type == "error") return shortened("[error: " + text_in(json, {"message"}) + "]");
    if (!text.empty()) text.insert(0, " ");
    const auto& what = role.empty() ? type : role;
    if (!what.empty()) return shortened("[" + what + (name.empty() ? "" : ":" + name) + "]" + text);
    return shortened(cut(schema::to_json_text(json), 47));
}

}  // namespace plexus::arbor
