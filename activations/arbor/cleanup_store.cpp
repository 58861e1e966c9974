#include "activations/arbor/cleanup_store.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"

#include <algorithm>
#include <unordered_map>

namespace plexus::arbor {

namespace {

using hub::Statement;

const Statement find_node{"find_head", "SELECT " ARBOR_NODE_COLUMNS " FROM nodes WHERE id = $1"};
const Statement due_trees{"due_trees", "SELECT " ARBOR_TREE_COLUMNS
                                       " FROM trees WHERE state = $1 AND CASE $1 WHEN 1 THEN scheduled_at "
                                       "ELSE archived_at END <= $2 ORDER BY key"};
const Statement archive_tree{"archive_tree",
                             "UPDATE trees SET state = 2, archived_at = $2 WHERE id = $1 AND state = 1 "
                             "AND scheduled_at <= $3"};
const Statement begin_purge{"begin_purge", "UPDATE trees SET state = 3 WHERE key = $1"};
const Statement due_nodes{"due_nodes", "SELECT " ARBOR_NODE_COLUMNS
                                       " FROM nodes WHERE state = 1 AND scheduled_at <= $1 ORDER BY depth"};
const Statement archived_nodes{"archived_nodes", "SELECT " ARBOR_NODE_COLUMNS
                                                 " FROM nodes WHERE state = 2 AND archived_at <= $1 "
                                                 "ORDER BY depth DESC"};
const Statement archive_node{"archive_node",
                             "UPDATE nodes SET state = 2, archived_at = $2 WHERE key = $1 AND state = 1 "
                             "AND scheduled_at <= $3"};
const Statement count_children{"count_children", "SELECT count(*) FROM nodes WHERE parent = $1"};
const Statement purgeable{"purgeable",
                          "SELECT " ARBOR_NODE_COLUMNS
                          " FROM nodes WHERE key = $1 AND state = 2 AND archived_at <= $2 "
                          "AND NOT EXISTS (SELECT 1 FROM nodes AS child WHERE child.parent = $1)"};
const Statement purging_tree{"purging_tree", "SELECT key FROM trees WHERE state = 3 LIMIT 1"};
const Statement tree_chain{"tree_chain", "SELECT key, id FROM chains WHERE tree = $1 LIMIT 1"};
const Statement some_events{"purge_some_events",
                            "DELETE FROM chat_events WHERE key IN "
                            "(SELECT key FROM chat_events WHERE chain = $1 LIMIT $2)"};
const Statement delete_chain{"purge_chain", "DELETE FROM chains WHERE key = $1"};
const Statement some_nodes{"purge_some_nodes",
                           "DELETE FROM nodes WHERE key IN (SELECT key FROM nodes WHERE tree = $1 LIMIT $2)"};
const Statement delete_runs{"purge_runs", "DELETE FROM segments WHERE tree = $1"};
const Statement delete_tree{"purge_tree", "DELETE FROM trees WHERE key = $1"};

}  // namespace

CleanupStore::CleanupStore(hub::Transaction& transaction, const std::vector<NodeId>& heads)
    : sql_(transaction) {
    BranchStore branches(sql_);
    for (const auto& head : heads) {
        auto rows = sql_.query(find_node, head);
        if (!rows.next()) continue;
        const auto node = read_node(*rows);
        trees_with_heads_.insert(node.tree);
        if (node.ephemeral) needed_.insert(branches.ephemeral_top(node).key);
    }
}

bool CleanupStore::needed(const NodeRow& node) {
    return !needed_.empty() && needed_.contains(BranchStore(sql_).ephemeral_top(node).key);
}

CleanupPlan CleanupStore::plan(const Deadlines& deadlines) {
    CleanupPlan plan;
    const auto due = [&](State state, Seconds before, std::vector<TreeId>& into) {
        for (const auto& row : sql_.query(due_trees, static_cast<int>(state), before)) {
            const auto tree = read_tree(row);
            if (trees_with_heads_.contains(tree.key)) ++plan.kept;
            else into.push_back(tree.id);
        }
    };
    due(State::scheduled_delete, deadlines.archive_before, plan.archive_trees);
    due(State::archived, deadlines.purge_before, plan.purge_trees);
    for (const auto& row : sql_.query(due_nodes, deadlines.archive_before)) {
        const auto node = read_node(row);
        if (needed(node)) ++plan.kept;
        else plan.archive_nodes.push_back(node.key);
    }
    plan_nodes(deadlines, plan);
    return plan;
}

// A node goes only after all below it, whose time may be up later.
void CleanupStore::plan_nodes(const Deadlines& deadlines, CleanupPlan& plan) {
    std::unordered_map<Key, std::int64_t> going;  // how many children of a node go with it
    for (const auto& row : sql_.query(archived_nodes, deadlines.purge_before)) {
        const auto node = read_node(row);
        if (needed(node)) {
            ++plan.kept;
            continue;
        }
        auto rows = sql_.query(count_children, node.key);
        rows.next();
        if (rows->integer(0) != going[node.key]) continue;
        plan.purge_nodes.push_back(node.key);
        if (node.parent) ++going[*node.parent];
    }
}

void CleanupStore::archive(const CleanupPlan& plan, const Deadlines& deadlines) {
    for (const auto& tree : plan.archive_trees)
        sql_.execute(archive_tree, tree, deadlines.now, deadlines.archive_before);
    for (const auto node : plan.archive_nodes)
        sql_.execute(archive_node, node, deadlines.now, deadlines.archive_before);
}

Removed CleanupStore::purge_nodes(std::span<const Key> nodes, const Deadlines& deadlines) {
    Removed removed;
    BranchStore branches(sql_);
    for (const auto key : nodes) {
        std::optional<NodeRow> node;
        if (auto rows = sql_.query(purgeable, key, deadlines.purge_before); rows.next())
            node = read_node(*rows);
        if (!node || needed(*node)) continue;
        const auto gone = branches.remove(*node);
        removed.nodes += gone.nodes;
        removed.chains.insert(removed.chains.end(), gone.chains.begin(), gone.chains.end());
    }
    return removed;
}

void CleanupStore::start_purge(std::span<const TreeId> trees, const Deadlines& deadlines) {
    for (const auto& id : trees) {
        const auto tree = TreeStore(sql_).find(id);
        if (!tree || tree->state != State::archived || trees_with_heads_.contains(tree->key)) continue;
        if (*tree->archived_at <= deadlines.purge_before) purge(*tree);
    }
}

void CleanupStore::require_headless(const TreeRow& tree) {
    if (!trees_with_heads_.contains(tree.key)) return;
    throw schema::Failure(schema::failed("conflict",
                                         "The head of a session stands in tree " + to_text(tree.id),
                                         {{"tree_id", to_text(tree.id)}}));
}

void CleanupStore::purge(const TreeRow& tree) { sql_.execute(begin_purge, tree.key); }

std::optional<Removed> CleanupStore::purge_some(std::int64_t rows) {
    Key tree = 0;
    if (auto found = sql_.query(purging_tree); found.next()) tree = found->integer(0);
    else return std::nullopt;
    Removed removed;
    Key chain = 0;
    if (auto found = sql_.query(tree_chain, tree); found.next()) {
        chain = found->integer(0);
        removed.chains.push_back(found->get<ChainId>(1));
    }
    if (chain != 0) {
        if (sql_.execute(some_events, chain, rows) < rows) sql_.execute(delete_chain, chain);
        return removed;
    }
    removed.nodes = sql_.execute(some_nodes, tree, rows);
    if (removed.nodes < rows) {
        sql_.execute(delete_runs, tree);
        sql_.execute(delete_tree, tree);
    }
    return removed;
}

}  // namespace plexus::arbor
