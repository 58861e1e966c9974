// encode, decode and json_schema for every described type.
//
// decode() reports every problem it finds, each with the path at which it stands, so that a
// client can mend its request in one go instead of one error at a time.
#pragma once

#include "schema/reflect.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace plexus::schema {

// Requests may carry fields we do not know (newer clients); configuration files may not (typing errors).
enum class Unknown { ignored, refused };

// Where the decoder stands. A chain on the stack: it costs nothing until something is reported.
class Path {
public:
    struct Report {
        Unknown unknown = Unknown::ignored;
        std::vector<std::string> problems;
        std::vector<std::string> strangers;  // unknown fields; told only when there are problems as well
    };

    explicit Path(Report& report) : report_(report) {}
    Path operator/(std::string_view key) const { return Path(*this, key, 0); }
    Path operator/(std::size_t index) const { return Path(*this, {}, index); }

    void report(std::string_view problem) const;
    void missing() const;
    void stranger(const std::string& hint) const;
    void expected(std::string_view what, const Json& got) const;

private:
    Path(const Path& parent, std::string_view key, std::size_t index)
        : report_(parent.report_), parent_(&parent), key_(key), index_(index) {}
    std::string text() const;

    Report& report_;
    const Path* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
};

// " (did you mean `count`?)", or nothing when no known name is near.
std::string closest(std::string_view wrong, const std::vector<std::string_view>& known);

class Definitions {
public:
    // {"$ref": "#/$defs/Name"}, having made sure that Name is defined.
    Json refer(std::string_view name, Json (*make)(Definitions&));
    Json refer(std::string_view name, const Json& schema);
    // Puts "$defs" into the schema if anything was referred to.
    Json complete(Json schema) &&;

private:
    std::map<std::string, Json, std::less<>> known_;
};

template <class T>
Json encode(const T& value) {
    return Codec<T>::encode(value);
}

// A complete schema: the type itself, inline and titled, with "$defs" for what it refers to.
template <class T>
Json json_schema() {
    Definitions definitions;
    if constexpr (requires { Codec<T>::body(definitions); })
        return std::move(definitions).complete(Codec<T>::body(definitions));
    else return std::move(definitions).complete(Codec<T>::schema(definitions));
}

// The error of a decode that reported problems.
Error rejected(Path::Report report);

template <class T>
Result<T> decode(const Json& json, Unknown unknown = Unknown::ignored) {
    Path::Report report{unknown, {}, {}};
    T value{};
    Codec<T>::decode(json, value, Path(report));
    if (report.problems.empty()) return value;
    return rejected(std::move(report));
}

template <>
struct Codec<Json> {
    static Json schema(Definitions&) { return Json::object(); }
    static Json encode(const Json& value) { return value; }
    static void decode(const Json& json, Json& out, const Path&) { out = json; }
};

template <>
struct Codec<bool> {
    static Json schema(Definitions&) { return {{"type", "boolean"}}; }
    static Json encode(bool value) { return value; }
    static void decode(const Json& json, bool& out, const Path& at);
};

template <>
struct Codec<double> {
    static Json schema(Definitions&) { return {{"type", "number"}, {"format", "double"}}; }
    static Json encode(double value) { return value; }
    static void decode(const Json& json, double& out, const Path& at);
};

template <>
struct Codec<std::string> {
    static Json schema(Definitions&) { return {{"type", "string"}}; }
    static Json encode(const std::string& value) { return value; }
    static void decode(const Json& json, std::string& out, const Path& at);
};

Json integer_schema(bool is_signed, int bits);
bool is_integer(const Json& json, std::int64_t low, std::uint64_t high, const Path& at);

template <std::integral T>
struct Codec<T> {
    static constexpr std::int64_t low = std::numeric_limits<T>::min();
    static constexpr std::uint64_t high = std::numeric_limits<T>::max();
    static Json schema(Definitions&) { return integer_schema(std::is_signed_v<T>, sizeof(T) * 8); }
    static Json encode(T value) { return value; }
    static void decode(const Json& json, T& out, const Path& at) {
        if (is_integer(json, low, high, at)) out = json.get<T>();
    }
};

Json enum_schema(const EnumDescription& description);
std::size_t decode_enum(const Json& json, std::span<const std::string_view> values, const Path& at);

template <DescribedEnum T>
struct Codec<T> {
    static EnumDescription description() { return describe_enum(std::type_identity<T>{}); }
    static Json schema(Definitions& definitions) {
        return definitions.refer(description().name, enum_schema(description()));
    }
    static std::string_view name(T value) { return description().values[static_cast<std::size_t>(value)]; }
    static Json encode(T value) { return name(value); }
    static void decode(const Json& json, T& out, const Path& at) {
        const auto index = decode_enum(json, description().values, at);
        if (index < description().values.size()) out = static_cast<T>(index);
    }
};

Json nullable_schema(Json inner);

template <class T>
struct Codec<std::optional<T>> {
    static Json schema(Definitions& definitions) { return nullable_schema(Codec<T>::schema(definitions)); }
    static Json encode(const std::optional<T>& value) {
        return value ? Codec<T>::encode(*value) : Json(nullptr);
    }
    static void decode(const Json& json, std::optional<T>& out, const Path& at) {
        if (!json.is_null()) Codec<T>::decode(json, out.emplace(), at);
    }
};

bool is_array(const Json& json, const Path& at);

template <class T>
struct Codec<std::vector<T>> {
    static Json schema(Definitions& definitions) {
        return {{"type", "array"}, {"items", Codec<T>::schema(definitions)}};
    }
    static Json encode(const std::vector<T>& values) {
        Json json = Json::array();
        for (const auto& value : values) json.push_back(Codec<T>::encode(value));
        return json;
    }
    static void decode(const Json& json, std::vector<T>& out, const Path& at) {
        if (!is_array(json, at)) return;
        out.clear();
        for (std::size_t i = 0; i < json.size(); ++i) {
            T element{};
            Codec<T>::decode(json[i], element, at / i);
            out.push_back(std::move(element));
        }
    }
};

bool is_object(const Json& json, const Path& at);

template <class T>
struct Codec<std::map<std::string, T>> {
    static Json schema(Definitions& definitions) {
        return {{"type", "object"}, {"additionalProperties", Codec<T>::schema(definitions)}};
    }
    static Json encode(const std::map<std::string, T>& values) {
        Json json = Json::object();
        for (const auto& [key, value] : values) json[key] = Codec<T>::encode(value);
        return json;
    }
    static void decode(const Json& json, std::map<std::string, T>& out, const Path& at) {
        if (!is_object(json, at)) return;
        for (const auto& [key, value] : json.items()) Codec<T>::decode(value, out[key], at / key);
    }
};

Json object_schema(const Description& description, const void* blank, Definitions& definitions);
Json encode_object(std::span<const Field> fields, const void* object);
void decode_object(const Json& json, std::span<const Field> fields, void* object, const Path& at);
Json tagged_schema(std::string_view tag, Json object);
Json encode_tagged(std::string_view tag, Json body);
Json union_schema(std::string_view name, std::vector<Json> alternatives);

template <Described T>
struct Codec<T> {
    static Description description() { return describe(std::type_identity<T>{}); }

    // The object itself; where it is only mentioned, schema() refers to it by name.
    static Json plain(Definitions& definitions) {
        const T blank{};
        return object_schema(description(), &blank, definitions);
    }
    // A tagged type is a union of one: generators expect `oneOf` whatever the number of cases.
    static Json body(Definitions& definitions) {
        if constexpr (Tagged<T>)
            return union_schema(description().name, {tagged_schema(T::tag, plain(definitions))});
        else return plain(definitions);
    }
    static Json schema(Definitions& definitions) { return definitions.refer(description().name, &body); }
    static Json encode(const T& value) {
        auto json = encode_object(description().fields, &value);
        if constexpr (Tagged<T>) return encode_tagged(T::tag, std::move(json));
        else return json;
    }
    static void decode(const Json& json, T& out, const Path& at) {
        decode_object(json, description().fields, &out, at);
    }
};

struct Alternative {
    std::string_view tag;
    void (*decode)(const Json& json, void* variant, const Path& at);
};

void decode_union(const Json& json, std::span<const Alternative> alternatives, void* variant, const Path& at);

// A union, told apart by "type".
template <Tagged... Options>
struct Codec<std::variant<Options...>> {
    using Variant = std::variant<Options...>;
    static constexpr Alternative alternatives[] = {
        {Options::tag, [](const Json& json, void* variant, const Path& at) {
             Codec<Options>::decode(json, static_cast<Variant*>(variant)->template emplace<Options>(), at);
         }}...};
    static Json body(Definitions& definitions) {
        return union_schema(union_name<Variant>,
                            {tagged_schema(Options::tag, Codec<Options>::plain(definitions))...});
    }
    static Json schema(Definitions& definitions) {
        if (union_name<Variant>.empty()) return body(definitions);
        return definitions.refer(union_name<Variant>, &body);
    }
    static Json encode(const Variant& value) {
        return std::visit([]<class T>(const T& option) { return Codec<T>::encode(option); }, value);
    }
    static void decode(const Json& json, Variant& out, const Path& at) {
        decode_union(json, alternatives, &out, at);
    }
};

}  // namespace plexus::schema
