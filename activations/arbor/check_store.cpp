#include "activations/arbor/check_store.hpp"

#include "activations/arbor/columns.hpp"

#include <map>
#include <set>
#include <unordered_map>

namespace plexus::arbor {

namespace {

using hub::Statement;

const Statement tree_nodes{"check_nodes",
                           "SELECT " ARBOR_NODE_COLUMNS " FROM nodes WHERE tree = $1 ORDER BY key"};
const Statement tree_runs{"check_runs", "SELECT key, parent_node FROM segments WHERE tree = $1"};
const Statement wrong_refs{"check_node_refs",
                           "SELECT nodes.id FROM nodes WHERE nodes.tree = $1 AND nodes.ref_count <> "
                           "1 - nodes.ephemeral + (SELECT COALESCE(SUM(count), 0) FROM node_refs "
                           "WHERE node_refs.node = nodes.key)"};
const Statement wrong_tree_refs{
    "check_tree_refs",
    "SELECT 1 FROM trees WHERE key = $1 AND ref_count <> "
    "(SELECT COALESCE(SUM(count), 0) FROM tree_refs WHERE tree_refs.tree = trees.key)"};
const Statement lost_chains{
    "check_lost_chains",
    "SELECT chains.id FROM chains WHERE chains.tree = $1 AND NOT EXISTS "
    "(SELECT 1 FROM nodes WHERE nodes.key = chains.node AND nodes.tree = chains.tree)"};
const Statement gappy_chains{
    "check_gaps",
    "SELECT chains.id FROM chains JOIN chat_events ON chat_events.chain = chains.key "
    "WHERE chains.tree = $1 GROUP BY chains.key, chains.id "
    "HAVING COUNT(*) <> MAX(chat_events.seq) OR MIN(chat_events.seq) <> 1"};
const Statement tree_chains{"check_chains", "SELECT key, id FROM chains WHERE tree = $1"};
const Statement stray_nodes{"check_stray_nodes",
                            "SELECT nodes.id FROM nodes WHERE NOT EXISTS "
                            "(SELECT 1 FROM trees WHERE trees.key = nodes.tree) LIMIT 100"};
const Statement external_nodes{"check_handles", "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS
                                                " FROM nodes WHERE tree = $1 AND key > $2 AND kind = 1 "
                                                "ORDER BY key LIMIT $3"};
const Statement some_trees{"check_trees", "SELECT " ARBOR_TREE_COLUMNS
                                          " FROM trees WHERE state < 3 AND key > $1 ORDER BY key LIMIT $2"};

// One tree's nodes, and what is told about them.
struct Inspection {
    const TreeRow& tree;
    std::vector<Problem>& problems;
    std::unordered_map<Key, NodeRow> nodes;
    std::unordered_map<Key, std::optional<Key>> runs;     // the parent of each run's first node
    std::map<std::pair<Key, std::int64_t>, Key> in_runs;  // (run, depth) → node

    void tell(std::string kind, const NodeRow& node, const std::string& what) {
        problems.push_back({std::move(kind), "Node " + to_text(node.id) + " " + what, tree.id, node.id});
    }
    void look_at_place(const NodeRow& node);
    void look_at_run(const NodeRow& node);
};

void Inspection::look_at_place(const NodeRow& node) {
    if (!node.parent) {
        if (node.key != tree.root) tell("orphan", node, "has no parent, but is not the root");
        if (node.depth != 0) tell("depth", node, "has no parent, but a depth");
        return;
    }
    const auto parent = nodes.find(*node.parent);
    if (parent == nodes.end()) return tell("orphan", node, "hangs under a node that is not in its tree");
    if (node.depth != parent->second.depth + 1)
        tell("depth", node, "has another depth than its parent's and one");
    if (node.state == State::active && parent->second.state != State::active)
        tell("state", node, "is active below one that is not");
    if (!node.ephemeral && parent->second.ephemeral) tell("state", node, "is to stay below one that is not");
}

void Inspection::look_at_run(const NodeRow& node) {
    if (!node.segment) return;
    const auto run = runs.find(*node.segment);
    if (run == runs.end()) return tell("run", node, "is in a run that does not exist");
    const auto above = in_runs.find({*node.segment, node.depth - 1});
    const auto expected = above == in_runs.end() ? run->second : above->second;
    if (expected != node.parent) tell("run", node, "does not follow its parent in its run");
    if (in_runs.at({*node.segment, node.depth}) != node.key) tell("run", node, "shares its place in its run");
}

}  // namespace

std::int64_t CheckStore::structure(const TreeRow& tree, std::vector<Problem>& problems) {
    Inspection inspection{tree, problems, {}, {}, {}};
    for (const auto& row : sql_.query(tree_nodes, tree.key)) {
        const auto node = read_node(row);
        if (node.segment) inspection.in_runs[{*node.segment, node.depth}] = node.key;
        inspection.nodes.emplace(node.key, node);
    }
    for (const auto& row : sql_.query(tree_runs, tree.key))
        inspection.runs[row.integer(0)] = row.get<std::optional<Key>>(1);
    if (!inspection.nodes.contains(tree.root))
        problems.push_back({"orphan", "Tree " + to_text(tree.id) + " has no root", tree.id, {}});
    std::set<Key> used;
    for (const auto& [key, node] : inspection.nodes) {
        inspection.look_at_place(node);
        inspection.look_at_run(node);
        if (node.segment) used.insert(*node.segment);
    }
    if (used.size() < inspection.runs.size())
        problems.push_back({"run", "Tree " + to_text(tree.id) + " has runs without nodes", tree.id, {}});
    for (const auto& row : sql_.query(wrong_refs, tree.key)) {
        const auto id = row.get<NodeId>(0);
        problems.push_back(
            {"refs", "Node " + to_text(id) + " counts other references than it has", tree.id, id});
    }
    if (sql_.query(wrong_tree_refs, tree.key).next())
        problems.push_back(
            {"refs", "Tree " + to_text(tree.id) + " counts other references than it has", tree.id, {}});
    return std::ssize(inspection.nodes);
}

void CheckStore::chains(const TreeRow& tree, bool read_events, std::vector<Problem>& problems) {
    const auto tell = [&](const hub::Row& row, const char* what) {
        problems.push_back({"chain", "Stream " + to_text(row.get<ChainId>(0)) + what, tree.id, {}});
    };
    for (const auto& row : sql_.query(lost_chains, tree.key))
        tell(row, " hangs under a node that is not there");
    for (const auto& row : sql_.query(gappy_chains, tree.key)) tell(row, " has gaps in its numbers");
    if (!read_events) return;
    ChainStore store(sql_);
    for (const auto& row : sql_.query(tree_chains, tree.key)) {
        try {
            for (Seq seq = 0;;) {
                const auto events = store.read_after(row.integer(0), seq, 1000, 1 << 24);
                if (events.empty()) break;
                seq = events.back()->seq;
            }
        } catch (const schema::Failure& failure) {
            if (failure.error().reason != "corrupt_event") throw;
            problems.push_back({"corrupt_event", failure.what(), tree.id, {}});
        }
    }
}

void CheckStore::strays(std::vector<Problem>& problems) {
    for (const auto& row : sql_.query(stray_nodes)) {
        const auto id = row.get<NodeId>(0);
        problems.push_back({"orphan", "Node " + to_text(id) + " belongs to no tree", TreeId{}, id});
    }
}

std::vector<CheckedHandle> CheckStore::handles_after(Key tree, Key after, std::int64_t limit) {
    std::vector<CheckedHandle> handles;
    for (const auto& row : sql_.query(external_nodes, tree, after, limit)) {
        const auto node = read_node(row);
        handles.push_back({node.key, node.id, handle_of(read_content(row, node.kind))});
    }
    return handles;
}

std::vector<TreeRow> CheckStore::trees_after(Key after, std::int64_t limit) {
    std::vector<TreeRow> trees;
    for (const auto& row : sql_.query(some_trees, after, limit)) trees.push_back(read_tree(row));
    return trees;
}

}  // namespace plexus::arbor
