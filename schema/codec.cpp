#include "schema/codec.hpp"

#include <algorithm>
#include <numeric>

namespace plexus::schema {

std::string Path::text() const {
    if (!parent_) return "";
    return parent_->text() + "/" + (key_.empty() ? std::to_string(index_) : std::string(key_));
}

void Path::report(std::string_view problem) const {
    const auto where = text();
    report_.problems.push_back((where.empty() ? "the value" : where) + " " + std::string(problem));
}

// Public clients look for these words, so a top-level field is named without its slash.
void Path::missing() const { report_.problems.push_back("missing field: " + text().substr(1)); }

void Path::stranger(const std::string& hint) const {
    auto& list = report_.unknown == Unknown::refused ? report_.problems : report_.strangers;
    list.push_back(text() + " is not known here" + hint);
}

void Path::expected(std::string_view what, const Json& got) const {
    auto shown = got.dump(-1, ' ', true);  // ASCII, so that it can be cut anywhere
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    report("must be " + std::string(what) + ", not " + shown);
}

Error rejected(Path::Report report) {
    auto& problems = report.problems;
    problems.insert(problems.end(), report.strangers.begin(), report.strangers.end());
    std::string message;
    for (const auto& problem : problems) message += (message.empty() ? "" : "; ") + problem;
    return invalid_params(std::move(message), {{"problems", problems}});
}

std::string closest(std::string_view wrong, const std::vector<std::string_view>& known) {
    const auto distance = [&](std::string_view name) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), 0u);
        for (std::size_t i = 0; i < wrong.size(); ++i) {
            auto diagonal = std::exchange(row[0], i + 1);
            for (std::size_t j = 0; j < name.size(); ++j) {
                const auto replaced = diagonal + (wrong[i] != name[j]);
                diagonal = row[j + 1];
                row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
            }
        }
        return row.back();
    };
    if (wrong.size() > 64) return "";  // nobody mistypes that much; keeps the cost bounded
    const auto best = std::ranges::min_element(known, {}, distance);
    if (best == known.end() || distance(*best) > (wrong.size() + 1) / 3) return "";
    return " (did you mean `" + std::string(*best) + "`?)";
}

Json Definitions::refer(std::string_view name, Json (*make)(Definitions&)) {
    if (!known_.contains(name)) {
        known_[std::string(name)] = nullptr;  // a type may mention itself
        auto schema = make(*this);
        known_[std::string(name)] = std::move(schema);
    }
    return {{"$ref", "#/$defs/" + std::string(name)}};
}

Json Definitions::refer(std::string_view name, const Json& schema) {
    known_.try_emplace(std::string(name), schema);
    return {{"$ref", "#/$defs/" + std::string(name)}};
}

Json Definitions::complete(Json schema) && {
    if (!known_.empty()) schema["$defs"] = known_;
    return schema;
}

void Codec<bool>::decode(const Json& json, bool& out, const Path& at) {
    if (!json.is_boolean()) return at.expected("true or false", json);
    out = json.get<bool>();
}

void Codec<double>::decode(const Json& json, double& out, const Path& at) {
    if (!json.is_number()) return at.expected("a number", json);
    out = json.get<double>();
}

void Codec<std::string>::decode(const Json& json, std::string& out, const Path& at) {
    if (!json.is_string()) return at.expected("a string", json);
    out = json.get_ref<const std::string&>();
}

Json integer_schema(bool is_signed, int bits) {
    Json schema = {{"type", "integer"}, {"format", (is_signed ? "int" : "uint") + std::to_string(bits)}};
    if (!is_signed) schema["minimum"] = 0;
    if (bits < 64) schema["maximum"] = (std::uint64_t(1) << (is_signed ? bits - 1 : bits)) - 1;
    return schema;
}

bool is_integer(const Json& json, std::int64_t low, std::uint64_t high, const Path& at) {
    const bool negative =
        json.is_number_integer() && !json.is_number_unsigned() && json.get<std::int64_t>() < 0;
    const bool fits = negative ? json.get<std::int64_t>() >= low
                               : json.is_number_integer() && json.get<std::uint64_t>() <= high;
    if (!fits) at.expected("an integer from " + std::to_string(low) + " to " + std::to_string(high), json);
    return fits;
}

Json enum_schema(const EnumDescription& description) {
    return {{"type", "string"}, {"enum", description.values}};
}

std::size_t decode_enum(const Json& json, std::span<const std::string_view> values, const Path& at) {
    if (json.is_string()) {
        const auto found = std::ranges::find(values, json.get_ref<const std::string&>());
        if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
    }
    std::string all;
    for (const auto& value : values) all += (all.empty() ? "" : ", ") + std::string(value);
    at.expected("one of " + all, json);
    return values.size();
}

Json nullable_schema(Json inner) {
    if (inner.empty()) return inner;  // anything already includes null
    if (inner.contains("$ref") || inner.contains("oneOf"))
        return {{"anyOf", {std::move(inner), {{"type", "null"}}}}};
    inner["type"] = {inner["type"], "null"};
    return inner;
}

bool is_array(const Json& json, const Path& at) {
    if (!json.is_array()) at.expected("an array", json);
    return json.is_array();
}

bool is_object(const Json& json, const Path& at) {
    if (!json.is_object()) at.expected("an object", json);
    return json.is_object();
}

Json object_schema(const Description& description, const void* blank, Definitions& definitions) {
    Json properties = Json::object(), required = Json::array();
    for (const auto& field : description.fields) {
        auto& property = properties[std::string(field.name)] = field.schema(definitions);
        property["description"] = field.about;
        if (field.presence == Presence::defaulted) property["default"] = field.encode(blank);
        if (!field.may_be_absent()) required.push_back(field.name);
    }
    return {
        {"type", "object"}, {"title", description.name}, {"properties", properties}, {"required", required}};
}

Json encode_object(std::span<const Field> fields, const void* object) {
    Json json = Json::object();
    for (const auto& field : fields) {
        auto value = field.encode(object);
        if (field.optional && value.is_null() && field.presence != Presence::nullable) continue;
        json[std::string(field.name)] = std::move(value);
    }
    return json;
}

void decode_object(const Json& json, std::span<const Field> fields, void* object, const Path& at) {
    if (!is_object(json, at)) return;
    std::size_t known_given = 0;
    for (const auto& field : fields) {
        const auto found = json.find(field.name);
        if (found != json.end()) ++known_given;
        // An explicit null means "not given", as the TypeScript clients have it.
        if (found != json.end() && !found->is_null()) field.decode(*found, object, at / field.name);
        else if (!field.may_be_absent()) (at / field.name).missing();
    }
    if (known_given == json.size()) return;
    std::vector<std::string_view> known;
    for (const auto& field : fields) known.push_back(field.name);
    for (const auto& [key, _] : json.items())
        if (std::ranges::find(known, key) == known.end()) (at / key).stranger(closest(key, known));
}

Json tagged_schema(std::string_view tag, Json object) {
    object["properties"]["type"] = {{"type", "string"}, {"const", tag}};
    auto& required = object["required"];
    required.insert(required.begin(), "type");
    return object;
}

Json encode_tagged(std::string_view tag, Json body) {
    body["type"] = tag;
    return body;
}

Json union_schema(std::string_view name, std::vector<Json> alternatives) {
    Json schema = {{"oneOf", std::move(alternatives)}};
    if (!name.empty()) schema["title"] = name;
    return schema;
}

void decode_union(const Json& json, std::span<const Alternative> alternatives, void* variant,
                  const Path& at) {
    if (!json.is_object()) return at.expected("an object with a type", json);
    const auto given = json.find("type");
    const auto type = given != json.end() && given->is_string() ? given->get<std::string>() : "";
    if (const auto found = std::ranges::find(alternatives, type, &Alternative::tag);
        found != alternatives.end()) {
        auto body = json;
        body.erase("type");
        return found->decode(body, variant, at);
    }
    std::vector<std::string_view> known;
    std::string all;
    for (const auto& alternative : alternatives) {
        known.push_back(alternative.tag);
        all += (all.empty() ? "" : ", ") + std::string(alternative.tag);
    }
    (at / "type").report("must be one of " + all + closest(type, known));
}

}  // namespace plexus::schema
