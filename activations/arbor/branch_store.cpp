#include "activations/arbor/branch_store.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"

#include <algorithm>
#include <unordered_map>

namespace plexus::arbor {

namespace {

using hub::Statement;

#define BELOW                                                             \
    "WITH RECURSIVE below (key) AS (SELECT CAST($1 AS BIGINT) UNION ALL " \
    "SELECT nodes.key FROM nodes JOIN below ON nodes.parent = below.key) "
const Statement branch_rows{"branch_rows",
                            BELOW "SELECT " ARBOR_NODE_COLUMNS
                                  " FROM nodes WHERE key IN (SELECT key FROM below) ORDER BY depth"};
const Statement branch_runs{"branch_runs", BELOW
                            "SELECT DISTINCT segment FROM nodes WHERE segment IS NOT NULL "
                            "AND key IN (SELECT key FROM below)"};
const Statement branch_chains{"branch_chains",
                              BELOW "SELECT key, id FROM chains WHERE node IN (SELECT key FROM below)"};
const Statement delete_branch{"delete_branch",
                              BELOW "DELETE FROM nodes WHERE key IN (SELECT key FROM below)"};
const Statement deepen_branch{
    "deepen_branch", BELOW "UPDATE nodes SET depth = depth + $2 WHERE key IN (SELECT key FROM below)"};
const Statement schedule_branch{"schedule_branch", BELOW
                                "UPDATE nodes SET ephemeral = 1, ref_count = 0, state = 1, "
                                "scheduled_at = $2 WHERE state = 0 AND key IN (SELECT key FROM below)"};
const Statement delete_events{"delete_events", "DELETE FROM chat_events WHERE chain = $1"};
const Statement delete_chain{"delete_chain", "DELETE FROM chains WHERE key = $1"};
const Statement set_parent{"set_parent", "UPDATE nodes SET parent = $2, position = $3 WHERE key = $1"};
const Statement find_owner{"find_node_owner", "SELECT count FROM node_refs WHERE node = $1 AND owner = $2"};
const Statement put_owner{"put_node_owner",
                          "INSERT INTO node_refs (node, owner, count, claimed_at) VALUES ($1, $2, $3, $4) "
                          "ON CONFLICT (node, owner) DO UPDATE SET count = excluded.count"};
const Statement drop_owner{"drop_node_owner", "DELETE FROM node_refs WHERE node = $1 AND owner = $2"};
const Statement set_ref_count{"set_ref_count", "UPDATE nodes SET ref_count = $2 WHERE key = $1"};
const Statement set_state{
    "set_node_state", "UPDATE nodes SET state = $2, scheduled_at = $3, archived_at = NULL WHERE key = $1"};

bool is_claimed(const NodeRow& node) { return node.ref_count > (node.ephemeral ? 0 : 1); }

// Which of an ephemeral branch's nodes are held: by a claim at or above them, or below them.
std::vector<bool> held(const std::vector<NodeRow>& rows) {
    std::unordered_map<Key, std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i].key] = i;
    const auto parent = [&](std::size_t i) { return i == 0 ? i : places.at(*rows[i].parent); };
    std::vector<bool> above(rows.size()), below(rows.size()), result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        above[i] = rows[i].ref_count > 0 || (i > 0 && above[parent(i)]);
    for (std::size_t i = rows.size(); i-- > 0;) {
        if (rows[i].ref_count > 0) below[i] = true;
        if (below[i]) below[parent(i)] = true;
        result[i] = above[i] || below[i];
    }
    return result;
}

}  // namespace

std::vector<NodeRow> BranchStore::rows(Key top) {
    std::vector<NodeRow> rows;
    for (const auto& row : sql_.query(branch_rows, top)) rows.push_back(read_node(row));
    return rows;
}

void BranchStore::require_removable(const NodeRow& top, const std::vector<NodeId>& heads) {
    if (!top.parent) throw conflict("Node " + to_text(top.id) + " is the root: only its tree can go", top.id);
    std::vector<NodeId> sorted(heads);
    std::ranges::sort(sorted);
    for (const auto& node : rows(top.key)) {
        if (is_claimed(node)) throw conflict("Node " + to_text(node.id) + " is claimed", node.id);
        if (std::ranges::binary_search(sorted, node.id))
            throw conflict("Node " + to_text(node.id) + " is the head of a session", node.id);
    }
}

Removed BranchStore::remove(const NodeRow& top) {
    Removed removed;
    std::vector<Key> runs;
    for (const auto& row : sql_.query(branch_runs, top.key)) runs.push_back(row.integer(0));
    std::vector<Key> chains;
    for (const auto& row : sql_.query(branch_chains, top.key)) {
        chains.push_back(row.integer(0));
        removed.chains.push_back(row.get<ChainId>(1));
    }
    for (const auto chain : chains) {
        sql_.execute(delete_events, chain);
        sql_.execute(delete_chain, chain);
    }
    removed.nodes = sql_.execute(delete_branch, top.key);
    for (const auto run : runs) Paths(sql_).drop_if_empty(run);
    return removed;
}

void BranchStore::move(const TreeRow& tree, const NodeRow& node, NodeId parent_id,
                       const std::optional<NodeId>& after, Seconds now) {
    NodeStore nodes(sql_);
    Paths paths(sql_);
    if (!node.parent) throw conflict("Node " + to_text(node.id) + " is the root: it cannot move", node.id);
    if (after == node.id) throw conflict("Node " + to_text(node.id) + " cannot stand behind itself", node.id);
    const auto parent = nodes.get(tree, parent_id);
    const auto line = paths.to(parent);
    if (node.depth <= line.depth() && paths.ids(line, node.depth, node.depth).front() == node.id)
        throw conflict("Node " + to_text(node.id) + " cannot move below itself, to " + to_text(parent_id),
                       node.id);
    if (parent.ephemeral && !node.ephemeral)
        throw conflict("Node " + to_text(node.id) + " would become ephemeral below " + to_text(parent_id),
                       node.id);
    const auto old_parent = nodes.by_key(*node.parent);

    paths.split_run(node, parent.key);
    paths.join_run(parent);
    if (const auto deeper = parent.depth + 1 - node.depth) sql_.execute(deepen_branch, node.key, deeper);
    sql_.execute(set_parent, node.key, parent.key, nodes.make_room(parent.key, after));
    if (old_parent.ephemeral) settle(old_parent, now);
    if (node.ephemeral) settle(nodes.by_key(node.key), now);
}

std::int64_t BranchStore::held_by(const NodeRow& node, const std::string& owner) {
    auto rows = sql_.query(find_owner, node.key, owner);
    return rows.next() ? rows->integer(0) : 0;
}

std::int64_t BranchStore::claim(const NodeRow& node, const std::string& owner, std::int64_t count,
                                Seconds now) {
    if (owner.empty()) throw invalid("owner_id must not be empty");
    if (node.state == State::archived)
        throw schema::Failure(schema::failed("archived", "Cannot claim archived node " + to_text(node.id),
                                             {{"node_id", to_text(node.id)}}));
    const auto total = held_by(node, owner) + count;
    sql_.execute(put_owner, node.key, owner, total, now);
    sql_.execute(set_ref_count, node.key, node.ref_count + count);
    if (node.ephemeral) settle(node, now);
    return total;
}

std::int64_t BranchStore::release(const NodeRow& node, const std::string& owner, std::int64_t count,
                                  Seconds now) {
    const auto has = held_by(node, owner);
    if (has == 0)
        throw schema::Failure(schema::not_found("No reference found for owner " + owner,
                                                {{"node_id", to_text(node.id)}, {"owner_id", owner}}));
    if (has < count)
        throw conflict(
            "Cannot release " + std::to_string(count) + " references, owner only has " + std::to_string(has),
            node.id);
    if (has == count) sql_.execute(drop_owner, node.key, owner);
    else sql_.execute(put_owner, node.key, owner, has - count, now);
    sql_.execute(set_ref_count, node.key, node.ref_count - count);
    if (node.ephemeral) settle(node, now);
    return has - count;
}

void BranchStore::schedule(const NodeRow& node, Seconds now) {
    sql_.execute(schedule_branch, node.key, now);
    const auto top = ephemeral_top(NodeStore(sql_).by_key(node.key));
    settle(top, now);
    if (NodeStore(sql_).by_key(node.key).state == State::active)
        throw conflict("Node " + to_text(node.id) + " is kept by a claim on a node above it", node.id);
}

NodeRow BranchStore::ephemeral_top(NodeRow node) {
    while (node.ephemeral) {
        auto parent = NodeStore(sql_).by_key(*node.parent);
        if (!parent.ephemeral) break;
        node = std::move(parent);
    }
    return node;
}

void BranchStore::settle(const NodeRow& node, Seconds now) {
    const auto nodes = rows(ephemeral_top(node).key);
    const auto live = held(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (live[i] && nodes[i].state != State::active) sql_.execute(set_state, nodes[i].key, 0, nullptr);
        if (!live[i] && nodes[i].state == State::active) sql_.execute(set_state, nodes[i].key, 1, now);
    }
}

}  // namespace plexus::arbor
