// Nodes of a tree by what they are like, in the order they were made. Synchronous: for work inside one
// transaction.
#pragma once

#include "activations/arbor/tree_store.hpp"

namespace plexus::arbor {

// Active nodes without an active child.
Page<NodeId> leaves(hub::Transaction& transaction, const TreeRow& tree, Cursor from, std::int64_t limit);
// Nodes on their way out, not yet archived.
Page<NodeId> scheduled(hub::Transaction& transaction, const TreeRow& tree, Cursor from, std::int64_t limit);
// Active nodes whose metadata holds all the given members.
Page<NodeId> with_metadata(hub::Transaction& transaction, const TreeRow& tree, const Json& wanted,
                           Cursor from, std::int64_t limit);

}  // namespace plexus::arbor
