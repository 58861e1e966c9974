#include "daemon/cli/json_schema.hpp"

#include "schema/codec.hpp"
#include "schema/rpc.hpp"

#include <algorithm>

namespace plexus::cli {

namespace {

const Json anything = Json::object();

// {"$ref": "#/$defs/Name"} → what stands there.
const Json& followed(const Json& schema, const Json& root) {
    const Json* at = &schema;
    for (int steps = 0; steps < 16 && at->is_object() && at->contains("$ref"); ++steps) {
        const auto reference = (*at)["$ref"].get<std::string>();
        const Json::json_pointer pointer(reference.starts_with('#') ? reference.substr(1) : reference);
        if (!root.contains(pointer)) return anything;
        at = &root[pointer];
    }
    return at->is_object() ? *at : anything;
}

std::string_view type_of(const Json& value) {
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "boolean";
    if (value.is_number_integer()) return "integer";
    if (value.is_number()) return "number";
    if (value.is_array()) return "array";
    return value.is_object() ? "object" : "null";
}

std::string article(const std::string& type) {
    return (type.starts_with('i') || type.starts_with('a') || type.starts_with('o') ? "an " : "a ") + type;
}

}  // namespace

JsonSchema::JsonSchema(const Json& schema, const Json& root)
    : root_(root), said_(schema), schema_(followed(schema, root)) {}

std::vector<JsonSchema> JsonSchema::alternatives() const {
    std::vector<JsonSchema> all;
    for (const auto* key : {"anyOf", "oneOf"})
        if (schema_.contains(key))
            for (const auto& one : schema_[key]) all.push_back(JsonSchema(one, root_));
    return all;
}

std::vector<std::string> JsonSchema::types() const {
    std::vector<std::string> found;
    const auto add = [&](const std::string& type) {
        if (std::ranges::find(found, type) == found.end()) found.push_back(type);
    };
    if (const auto type = schema_.find("type"); type != schema_.end()) {
        if (type->is_string()) add(*type);
        else
            for (const auto& one : *type) add(one);
        // A handle may be written in its text form, which the schema of the struct cannot say.
        if (schema_.value("title", "") == "Handle") add("string");
        return found;
    }
    for (const auto& one : alternatives()) {
        const auto types = one.types();
        if (types.empty()) return {};
        for (const auto& type : types) add(type);
    }
    return found;
}

bool JsonSchema::admits(std::string_view type) const {
    const auto all = types();
    return all.empty() || std::ranges::find(all, type) != all.end() ||
           (type == "integer" && std::ranges::find(all, "number") != all.end());
}

JsonSchema JsonSchema::items() const {
    return JsonSchema(schema_.contains("items") ? schema_["items"] : anything, root_);
}

JsonSchema JsonSchema::property(const std::string& name) const {
    const auto all = schema_.find("properties");
    return JsonSchema(all != schema_.end() && all->contains(name) ? (*all)[name] : anything, root_);
}

std::vector<std::string_view> JsonSchema::properties() const {
    std::vector<std::string_view> names;
    if (const auto all = schema_.find("properties"); all != schema_.end())
        for (const auto& [name, _] : all->items()) names.push_back(name);
    return names;
}

std::vector<std::string> JsonSchema::required() const {
    return schema_.value("required", std::vector<std::string>());
}

std::string JsonSchema::description() const {
    return (said_.is_object() && said_.contains("description") ? said_ : schema_).value("description", "");
}

std::string JsonSchema::type_text() const {
    const auto joined = [](const auto& parts) {
        std::string text;
        for (const auto& part : parts) text += (text.empty() ? "" : "|") + part;
        return text;
    };
    if (schema_.contains("const")) return schema::to_json_text(schema_["const"]);
    if (schema_.contains("enum")) {
        std::vector<std::string> values;
        for (const auto& value : schema_["enum"])
            values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        return joined(values);
    }
    if (schema_.contains("title") && admits("object")) return schema_["title"];
    if (const auto all = alternatives(); !all.empty()) {
        std::vector<std::string> texts;
        for (const auto& one : all)
            if (one.type_text() != "null") texts.push_back(one.type_text());
        return joined(texts);
    }
    auto all = types();
    std::erase(all, "null");
    if (all.empty()) return "JSON";
    if (all == std::vector<std::string>{"array"}) return "[" + items().type_text() + "]";
    if (schema_.value("format", "") == "uuid") return "uuid";
    return joined(all);
}

Json JsonSchema::value_of(const std::string& word) const {
    const auto parsed = schema::parse_json(word);
    const bool fits = parsed && admits(type_of(*parsed));
    if (types().empty()) return fits ? *parsed : Json(word);
    // Text that happens to look like a number is still text where text is wanted.
    if (admits("string")) return fits && parsed->is_structured() ? *parsed : Json(word);
    if (!fits && admits("array") && !(parsed && parsed->is_structured()))
        return Json::array({items().value_of(word)});
    return fits ? *parsed : Json(word);
}

void JsonSchema::check(const Json& value, const std::string& path, std::vector<std::string>& problems) const {
    if (!admits(type_of(value))) {
        problems.push_back(path + " must be " + article(type_text()) + ", not " +
                           schema::to_json_text(value));
        return;
    }
    if (const auto all = alternatives(); !all.empty()) {
        const bool fits = std::ranges::any_of(all, [&](const JsonSchema& one) {
            std::vector<std::string> found;
            one.check(value, path, found);
            return found.empty();
        });
        if (!fits) problems.push_back(path + " must be " + article(type_text()));
        return;
    }
    const auto known = schema_.find("enum");
    if (known != schema_.end() && !value.is_null() && std::ranges::find(*known, value) == known->end())
        problems.push_back(path + " must be one of " + type_text() + ", not " + schema::to_json_text(value));
    if (schema_.contains("const") && value != schema_["const"])
        problems.push_back(path + " must be " + type_text());
    if (value.is_number() && schema_.contains("minimum") && value < schema_["minimum"])
        problems.push_back(path + " must not be below " + schema_["minimum"].dump());
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
            items().check(value[i], path + "[" + std::to_string(i) + "]", problems);
    if (value.is_object()) check_object(value, path, problems);
}

void JsonSchema::check_object(const Json& value, const std::string& path,
                              std::vector<std::string>& problems) const {
    const auto names = properties();
    for (const auto& [key, inner] : value.items())
        if (names.empty()) continue;  // a map, or free JSON
        else if (std::ranges::find(names, key) == names.end())
            problems.push_back(path + "." + key + " is unknown" + schema::closest(key, names));
        else if (!inner.is_null()) property(key).check(inner, path + "." + key, problems);
    for (const auto& name : required())
        if (!value.contains(name) || value[name].is_null())
            problems.push_back(path + "." + name + " is missing (" + property(name).type_text() + ")");
}

}  // namespace plexus::cli
