// What time does to trees and nodes that nobody holds: scheduled → archived → purged.
// Synchronous: each function is work for one transaction, and small enough not to keep others waiting.
#pragma once

#include "activations/arbor/branch_store.hpp"

#include <set>
#include <span>

namespace plexus::arbor {

// Everything scheduled before `archive_before`, archived before `purge_before`.
struct Deadlines {
    Seconds now = 0, archive_before = 0, purge_before = 0;
};

struct CleanupPlan {
    std::vector<TreeId> archive_trees, purge_trees;
    std::vector<Key> archive_nodes, purge_nodes;  // to be purged in this order: children before their parents
    std::int64_t kept = 0;                        // trees and nodes whose time is up, but that a head needs
};

class CleanupStore {
public:
    CleanupStore(hub::Transaction& transaction, const std::vector<NodeId>& heads);

    CleanupPlan plan(const Deadlines& deadlines);
    // What the plan says, as far as it still holds now.
    void archive(const CleanupPlan& plan, const Deadlines& deadlines);
    Removed purge_nodes(std::span<const Key> nodes, const Deadlines& deadlines);
    void start_purge(std::span<const TreeId> trees, const Deadlines& deadlines);
    // Takes the next piece of a tree that is being purged; nullopt when there is none left.
    std::optional<Removed> purge_some(std::int64_t rows);
    // Throws `conflict` when a head stands in the tree.
    void require_headless(const TreeRow& tree);
    // From here on the tree is not found any more; purge_some() does the rest.
    void purge(const TreeRow& tree);

private:
    void plan_nodes(const Deadlines& deadlines, CleanupPlan& plan);
    bool needed(const NodeRow& node);

    hub::Transaction& sql_;
    std::set<Key> trees_with_heads_;
    std::set<Key> needed_;  // the tops of ephemeral branches with a head in them: they stay as a whole
};

}  // namespace plexus::arbor
