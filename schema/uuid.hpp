// UUIDs: v5 for plugin ids, v7 (time-ordered) for everything new, v4 where an id must not be guessable.
// Pure: time and random bytes are given. On the wire always lower-case text.
#pragma once

#include "schema/codec.hpp"

#include <boost/uuid/uuid.hpp>

#include <array>
#include <optional>

namespace plexus::schema {

using Uuid = boost::uuids::uuid;

std::optional<Uuid> parse_uuid(std::string_view text);
std::string to_text(const Uuid& id);

Uuid uuid_v4(const std::array<std::uint8_t, 16>& random);
Uuid uuid_v5_oid(std::string_view name);

// Ids made by one generator sort in the order they were made, also within a millisecond
// and when the wall clock steps back.
class UuidV7 {
public:
    Uuid next(std::int64_t unix_ms, std::uint64_t random);

private:
    std::int64_t last_ms_ = 0;
    std::uint16_t counter_ = 0;
};

template <>
struct Codec<Uuid> {
    static Json schema(Definitions&) { return {{"type", "string"}, {"format", "uuid"}}; }
    static Json encode(const Uuid& id) { return to_text(id); }
    static void decode(const Json& json, Uuid& out, const Path& at);
};

}  // namespace plexus::schema
