#include "schema/uuid.hpp"

#include <boost/uuid/name_generator_sha1.hpp>

#include <algorithm>

namespace plexus::schema {

namespace {

constexpr char digits[] = "0123456789abcdef";

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void stamp(Uuid& id, std::uint8_t version) {
    id.data[6] = static_cast<std::uint8_t>((id.data[6] & 0x0f) | (version << 4));
    id.data[8] = static_cast<std::uint8_t>((id.data[8] & 0x3f) | 0x80);
}

bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

// Only the canonical 36 characters: what we accept is what we would print, up to case.
std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid id{};
    std::size_t at = 0;
    for (std::size_t byte = 0; byte < 16; ++byte) {
        if (dash_before(byte) && text[at++] != '-') return std::nullopt;
        const int high = digit_value(text[at++]), low = digit_value(text[at++]);
        if (high < 0 || low < 0) return std::nullopt;
        id.data[byte] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return id;
}

std::string to_text(const Uuid& id) {
    std::string text;
    text.reserve(36);
    for (std::size_t byte = 0; byte < 16; ++byte) {
        if (dash_before(byte)) text += '-';
        text += digits[id.data[byte] >> 4];
        text += digits[id.data[byte] & 15];
    }
    return text;
}

Uuid uuid_v4(const std::array<std::uint8_t, 16>& random) {
    Uuid id{};
    std::ranges::copy(random, id.begin());
    stamp(id, 4);
    return id;
}

Uuid uuid_v5_oid(std::string_view name) {
    return boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(std::string(name));
}

// RFC 9562, method 1: a 12-bit counter in rand_a orders ids within one millisecond.
Uuid UuidV7::next(std::int64_t unix_ms, std::uint64_t random) {
    if (unix_ms > last_ms_) {
        last_ms_ = unix_ms;
        counter_ = 0;
    } else if (++counter_ > 0x0fff) {  // more than 4096 in a millisecond: borrow from the next one
        ++last_ms_;
        counter_ = 0;
    }
    Uuid id{};
    for (int i = 0; i < 6; ++i) id.data[i] = static_cast<std::uint8_t>(last_ms_ >> (8 * (5 - i)));
    id.data[6] = static_cast<std::uint8_t>(counter_ >> 8);
    id.data[7] = static_cast<std::uint8_t>(counter_);
    for (int i = 0; i < 8; ++i) id.data[8 + i] = static_cast<std::uint8_t>(random >> (8 * i));
    stamp(id, 7);
    return id;
}

void Codec<Uuid>::decode(const Json& json, Uuid& out, const Path& at) {
    const auto id = json.is_string() ? parse_uuid(json.get_ref<const std::string&>()) : std::nullopt;
    if (!id) return at.expected("a UUID like 0197a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b", json);
    out = *id;
}

}  // namespace plexus::schema
