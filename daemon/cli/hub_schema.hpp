// Asking the hub to describe itself, for the commands that need to know.
#pragma once

#include "daemon/cli/client.hpp"

namespace plexus::cli {

// PluginSchema of an activation or MethodSchema of a method; an empty path means the hub itself.
awaitable<Json> schema_of(Client& client, std::string path);

// The hub, or the activation at `path`, with everything below it: PluginSchemas whose `children` are
// PluginSchemas again, each with its dotted `path` ("" for the hub).
awaitable<Json> whole_schema(Client& client, std::string path);

bool is_activation(const Json& schema);

}  // namespace plexus::cli
