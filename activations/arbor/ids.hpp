// Ids as the rest of the program sees them. A tree's id is no node's id: the compiler tells them apart.
#pragma once

#include "schema/uuid.hpp"

namespace plexus::arbor {

using schema::Json;
using schema::to_text;
using schema::Uuid;

struct TreeId : Uuid {};
struct NodeId : Uuid {};   // of a node, or of an event: an event is a node
struct ChainId : Uuid {};  // of a stream

template <class T>
concept ArborId = std::same_as<T, TreeId> || std::same_as<T, NodeId> || std::same_as<T, ChainId>;

// How far a list was read; what it says is nobody's business but the method's that made it.
struct Cursor {
    std::int64_t at = 0;
};

}  // namespace plexus::arbor

// A named type of its own: generators of public clients make `UUID` from it.
template <plexus::arbor::ArborId T>
struct plexus::schema::Codec<T> {
    static Json schema(Definitions& definitions) {
        return definitions.refer("UUID", Json{{"type", "string"}});
    }
    static Json encode(const T& id) { return to_text(id); }
    static void decode(const Json& json, T& out, const Path& at) { Codec<Uuid>::decode(json, out, at); }
};

template <>
struct plexus::schema::Codec<plexus::arbor::Cursor> {
    static Json schema(Definitions&) { return {{"type", "string"}}; }
    static Json encode(const arbor::Cursor& cursor) { return std::to_string(cursor.at); }
    static void decode(const Json& json, arbor::Cursor& out, const Path& at) {
        const auto* text = json.get_ptr<const std::string*>();
        if (!text || text->empty() || text->size() > 18 ||
            text->find_first_not_of("0123456789") != text->npos)
            return at.expected("a cursor that an earlier page gave", json);
        out.at = std::stoll(*text);
    }
};
