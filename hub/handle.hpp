// A handle is a typed, immutable pointer to data some activation owns. As text:
//     51b330e5-ed88-5fe2-8b58-0c57f2b02ab3@1.0.0::message:0197…:user
// `:` and `%` inside a part are percent-encoded, so every handle reads back exactly as it was written.
#pragma once

#include "schema/uuid.hpp"

namespace plexus::hub {

using schema::Json;
using schema::Uuid;
using PluginId = Uuid;

// The same name and major version always give the same id, so handles outlive restarts and upgrades.
PluginId plugin_id(std::string_view name, std::string_view version);

struct Handle {
    PluginId plugin{};
    std::string version;
    std::string method;
    std::vector<std::string> meta;
    Json metadata = nullptr;  // only from the oldest JSON form; belongs on the node, not in the handle

    // Accepts a namespace in place of the UUID (`claudecode@1.0.0::turn:3`).
    static schema::Result<Handle> parse(std::string_view text);
    std::string text() const;

    bool operator==(const Handle& other) const {
        return plugin == other.plugin && version == other.version && method == other.method &&
               meta == other.meta;
    }
};

}  // namespace plexus::hub

// On input: the object, the text, or the oldest form {"source","source_version","identifier","metadata"}.
template <>
struct plexus::schema::Codec<plexus::hub::Handle> {
    static Json schema(Definitions& definitions);
    static Json encode(const hub::Handle& handle);
    static void decode(const Json& json, hub::Handle& out, const Path& at);
};
