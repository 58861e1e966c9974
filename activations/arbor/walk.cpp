#include "activations/arbor/walk.hpp"

#include "activations/arbor/columns.hpp"

namespace plexus::arbor {

namespace {

const hub::Statement next_child{"next_child",
                                "SELECT " ARBOR_NODE_COLUMNS
                                " FROM nodes WHERE parent = $1 AND position >= $2 AND state <= $3 "
                                "ORDER BY position LIMIT 1"};

}  // namespace

std::optional<NodeRow> Walk::next(NodeRow node) {
    if (node.depth < deepest_)
        if (auto child = first_below(node.key, 0)) return child;
    while (node.key != top_.key) {
        if (auto sibling = first_below(*node.parent, node.position + 1)) return sibling;
        node = NodeStore(sql_).by_key(*node.parent);
    }
    return std::nullopt;
}

std::optional<NodeRow> Walk::first_below(Key parent, std::int64_t position) {
    auto rows = sql_.query(next_child, parent, position, all_ ? 2 : 0);
    if (!rows.next()) return std::nullopt;
    return read_node(*rows);
}

}  // namespace plexus::arbor
