// DESCRIBE lists a struct's fields once. Encoding, decoding and JSON Schema all read that list,
// so the three can never disagree.
//
//     struct WatchParams {
//         std::uint64_t after = 0;
//     };
//     DESCRIBE(WatchParams, (after, "Only notes newer than this", defaulted))
//
//     enum class Colour { red, green };
//     DESCRIBE_ENUM(Colour, red, green)
//
// The list is a plain table of function pointers: the logic that walks it is compiled once, in codec.cpp.
#pragma once

#include "schema/error.hpp"

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace plexus::schema {

class Path;

// Collects the named types a schema refers to, for its "$defs".
class Definitions;

template <class T>
struct Codec;  // schema(), encode() and decode() of one type; specialise it for a new leaf type

// required: must be given. defaulted: may be left out, the struct's initialiser then holds.
// A std::optional field may always be left out; when empty it is omitted on output, unless `nullable`.
enum class Presence { required, defaulted, nullable };
inline constexpr auto defaulted = Presence::defaulted;
inline constexpr auto nullable = Presence::nullable;

struct Field {
    std::string_view name;
    std::string_view about;
    Presence presence;
    bool optional;
    Json (*schema)(Definitions& definitions);
    Json (*encode)(const void* object);
    void (*decode)(const Json& json, void* object, const Path& at);

    bool may_be_absent() const { return optional || presence == Presence::defaulted; }
};

// A field or enumerator whose wire name is a C++ keyword is written with a trailing underscore.
constexpr std::string_view wire_name(std::string_view name) {
    return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class Owner, auto Member>
constexpr Field field(std::string_view name, std::string_view about, Presence presence = Presence::required) {
    using Type = std::remove_cvref_t<decltype(std::declval<Owner>().*Member)>;
    return {
        wire_name(name),
        about,
        presence,
        is_optional<Type>,
        &Codec<Type>::schema,
        [](const void* object) { return Codec<Type>::encode(static_cast<const Owner*>(object)->*Member); },
        [](const Json& json, void* object, const Path& at) {
            Codec<Type>::decode(json, static_cast<Owner*>(object)->*Member, at);
        }};
}

struct Description {
    std::string_view name;  // of the type, as it appears in schemas
    std::span<const Field> fields;
};

template <class T>
concept Described = requires {
    { describe(std::type_identity<T>{}) } -> std::same_as<Description>;
};

// A described type that is one case of a union names itself with `static constexpr std::string_view tag`.
template <class T>
concept Tagged = Described<T> && requires {
    { T::tag } -> std::convertible_to<std::string_view>;
};

struct EnumDescription {
    std::string_view name;
    std::span<const std::string_view> values;  // in the order of the enumerators, which count from 0
};

template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires {
    { describe_enum(std::type_identity<T>{}) } -> std::same_as<EnumDescription>;
};

// The name a std::variant goes by in schemas; a variant has none of its own.
//     template <> inline constexpr std::string_view plexus::schema::union_name<ChatEvent> = "ChatEvent";
template <class Variant>
inline constexpr std::string_view union_name = "";

}  // namespace plexus::schema

#define SCHEMA_PARENS ()
#define SCHEMA_EXPAND(...) SCHEMA_EXPAND2(SCHEMA_EXPAND2(SCHEMA_EXPAND2(SCHEMA_EXPAND2(__VA_ARGS__))))
#define SCHEMA_EXPAND2(...) SCHEMA_EXPAND1(SCHEMA_EXPAND1(SCHEMA_EXPAND1(SCHEMA_EXPAND1(__VA_ARGS__))))
#define SCHEMA_EXPAND1(...) __VA_ARGS__
#define SCHEMA_EACH(macro, item, ...) \
    macro item __VA_OPT__(, SCHEMA_EACH_AGAIN SCHEMA_PARENS(macro, __VA_ARGS__))
#define SCHEMA_EACH_AGAIN() SCHEMA_EACH
#define SCHEMA_FIELD(name, about, ...) \
    ::plexus::schema::field<Self, &Self::name>(#name, about __VA_OPT__(, ::plexus::schema::) __VA_ARGS__)
#define SCHEMA_NAMES(item, ...) \
    ::plexus::schema::wire_name(#item) __VA_OPT__(, SCHEMA_NAMES_AGAIN SCHEMA_PARENS(__VA_ARGS__))
#define SCHEMA_NAMES_AGAIN() SCHEMA_NAMES

#define DESCRIBE(Type, ...)                                                                    \
    [[maybe_unused]] inline ::plexus::schema::Description describe(std::type_identity<Type>) { \
        using Self = Type;                                                                     \
        static constexpr ::plexus::schema::Field list[] = {                                    \
            SCHEMA_EXPAND(SCHEMA_EACH(SCHEMA_FIELD, __VA_ARGS__))};                            \
        return {#Type, list};                                                                  \
    }

// For types without fields: no parameters, or an event that only has its tag.
#define DESCRIBE_EMPTY(Type)                                                                   \
    [[maybe_unused]] inline ::plexus::schema::Description describe(std::type_identity<Type>) { \
        return {#Type, {}};                                                                    \
    }

#define DESCRIBE_ENUM(Type, ...)                                                                        \
    [[maybe_unused]] inline ::plexus::schema::EnumDescription describe_enum(std::type_identity<Type>) { \
        static constexpr std::string_view names[] = {SCHEMA_EXPAND(SCHEMA_NAMES(__VA_ARGS__))};         \
        return {#Type, names};                                                                          \
    }
