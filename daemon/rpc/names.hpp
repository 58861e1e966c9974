// What a JSON-RPC method name on the outside means.
#pragma once

#include "hub/hub.hpp"

namespace plexus::rpc {

struct Meaning {
    enum class Kind { unknown, stream, respond, unsubscribe, discover };
    Kind kind = Kind::unknown;
    std::string path;  // of a stream: what the hub is asked for
};

// `substrate.call`, `_info`, `arbor_tree_list`, `arbor.tree_list`, `substrate.call_unsub`, `rpc.discover`, …
Meaning meaning_of(const std::string& name, const hub::Hub& root);

}  // namespace plexus::rpc
