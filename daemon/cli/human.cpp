#include "daemon/cli/human.hpp"

#include <algorithm>

namespace plexus::cli {

using schema::Json;

namespace {

constexpr std::size_t longest_line = 100, longest_list = 72, widest_cell = 48;

std::string scalar(const Json& value) {
    if (value.is_string()) return printable(value.get_ref<const std::string&>());
    if (!value.is_array() || value.empty()) return value.dump();
    std::string joined;
    for (const auto& one : value) joined += (joined.empty() ? "" : ", ") + scalar(one);
    return joined;
}

bool is_short_list(const Json& value) {
    if (!value.is_array() || !std::ranges::none_of(value, [](auto& one) { return one.is_structured(); }))
        return false;
    const auto joined = scalar(value);
    return joined.find('\n') == joined.npos && width(joined) <= longest_list;
}

bool is_flat(const Json& value) { return !value.is_structured() || value.empty() || is_short_list(value); }

bool is_record(const Json& value) {
    return value.is_object() && !value.empty() && std::ranges::all_of(value, is_flat);
}

std::string heading(const Json& object) {
    const auto type = object.find("type");
    return type != object.end() && type->is_string() ? scalar(*type) : "";
}

// echo  count: 1  message: hi
std::string on_one_line(const Json& object, const Paint& paint) {
    const auto title = heading(object);
    std::string line = paint.bold(title);
    for (const auto& [key, value] : object.items()) {
        if (key == "type" && !title.empty()) continue;
        line += (line.empty() ? "" : "  ") + paint.cyan(printable(key) + ":") + " " + scalar(value);
    }
    return line;
}

std::string table(const Json& list, const Paint& paint, std::size_t indent) {
    std::vector<std::string> keys;
    for (const auto& row : list)
        for (const auto& [key, _] : row.items())
            if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    std::vector<std::vector<std::string>> rows(1);
    for (const auto& key : keys) rows[0].push_back(paint.cyan(printable(key)));
    for (const auto& row : list) {
        auto& cells = rows.emplace_back();
        for (const auto& key : keys)
            cells.push_back(row.contains(key) ? one_line(scalar(row[key]), widest_cell) : "");
    }
    return columns(rows, indent);
}

std::string fields(const Json& object, const Paint& paint, std::size_t indent) {
    const auto title = heading(object);
    std::string text;
    if (!title.empty()) text += std::string(indent, ' ') + paint.bold(title) + "\n";
    if (!title.empty()) indent += 2;
    for (const auto& [key, value] : object.items()) {
        if (key == "type" && !title.empty()) continue;
        const auto label = std::string(indent, ' ') + paint.cyan(printable(key) + ":");
        const auto shown = is_flat(value) ? scalar(value) : "";
        const bool beside = is_flat(value) && shown.find('\n') == shown.npos;
        if (beside) text += label + " " + shown + "\n";
        else text += label + "\n" + human(value, paint, indent + 2);
    }
    return text;
}

std::string list(const Json& array, const Paint& paint, std::size_t indent) {
    std::string text;
    for (const auto& value : array) {
        auto block = human(value, paint, indent + 2);
        block.replace(indent, 1, "-");
        text += block;
    }
    return text;
}

}  // namespace

std::string human(const Json& value, const Paint& paint, std::size_t indent) {
    if (is_flat(value)) return indented(scalar(value) + "\n", indent);
    if (value.is_array())
        return value.size() > 1 && std::ranges::all_of(value, is_record) ? table(value, paint, indent)
                                                                         : list(value, paint, indent);
    if (is_record(value)) {
        const auto line = on_one_line(value, paint);
        if (line.find('\n') == line.npos && width(line) + indent <= longest_line)
            return std::string(indent, ' ') + line + "\n";
    }
    return fields(value, paint, indent);
}

}  // namespace plexus::cli
