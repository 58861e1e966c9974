// A node with all that hangs below it: moved, removed, kept or let go as a whole.
// Synchronous: for work inside one transaction.
//
// Everything below an ephemeral node is ephemeral. An ephemeral node lives as long as it, something above it
// (up to the first that is not ephemeral) or something below it is claimed; otherwise it is on its way out:
// scheduled, then archived, then gone.
#pragma once

#include "activations/arbor/paths.hpp"

namespace plexus::arbor {

// Tells which nodes are heads and must stay. Runs on storage threads, inside the transaction that removes.
using Pins = std::function<std::vector<NodeId>(hub::Transaction&)>;

struct Removed {
    std::int64_t nodes = 0;
    std::vector<ChainId> chains;  // streams that went with them
};

class BranchStore {
public:
    explicit BranchStore(hub::Transaction& transaction) : sql_(transaction) {}

    // The nodes of the branch, parents before their children.
    std::vector<NodeRow> rows(Key top);
    // Throws `conflict` for the root, and when something in the branch is claimed or a head.
    void require_removable(const NodeRow& top, const std::vector<NodeId>& heads);
    Removed remove(const NodeRow& top);
    // Refuses cycles. Behind the sibling `after`, or behind all.
    void move(const TreeRow& tree, const NodeRow& node, NodeId parent, const std::optional<NodeId>& after,
              Seconds now);

    // How many references the owner has afterwards.
    std::int64_t claim(const NodeRow& node, const std::string& owner, std::int64_t count, Seconds now);
    std::int64_t release(const NodeRow& node, const std::string& owner, std::int64_t count, Seconds now);
    void schedule(const NodeRow& node, Seconds now);

    // The highest node of the ephemeral part the node is in; the node itself when it is not ephemeral.
    NodeRow ephemeral_top(NodeRow node);

private:
    std::int64_t held_by(const NodeRow& node, const std::string& owner);
    void settle(const NodeRow& node, Seconds now);

    hub::Transaction& sql_;
};

}  // namespace plexus::arbor
