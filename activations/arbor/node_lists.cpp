#include "activations/arbor/node_lists.hpp"

namespace plexus::arbor {

namespace {

const hub::Statement list_leaves{
    "list_leaves",
    "SELECT nodes.key, nodes.id FROM nodes WHERE tree = $1 AND key > $2 AND state = 0 "
    "AND NOT EXISTS (SELECT 1 FROM nodes AS child WHERE child.parent = nodes.key "
    "AND child.state = 0) ORDER BY key LIMIT $3"};
const hub::Statement list_scheduled{
    "list_scheduled_nodes",
    "SELECT key, id FROM nodes WHERE tree = $1 AND key > $2 AND state = 1 ORDER BY key LIMIT $3"};
const hub::Statement list_described{"list_described_nodes",
                                    "SELECT key, id, metadata FROM nodes WHERE tree = $1 AND key > $2 "
                                    "AND state = 0 AND metadata IS NOT NULL ORDER BY key"};

template <class Wanted>
Page<NodeId> page_of(hub::Rows rows, Cursor from, std::int64_t limit, Wanted wanted) {
    Page<NodeId> page;
    Key last = from.at;
    for (const auto& row : rows) {
        if (!wanted(row)) continue;
        if (std::ssize(page.items) == limit) {
            page.next = Cursor{last};
            break;
        }
        last = row.integer(0);
        page.items.push_back(row.get<NodeId>(1));
    }
    return page;
}

constexpr auto every = [](const hub::Row&) { return true; };

}  // namespace

Page<NodeId> leaves(hub::Transaction& transaction, const TreeRow& tree, Cursor from, std::int64_t limit) {
    return page_of(transaction.query(list_leaves, tree.key, from.at, limit + 1), from, limit, every);
}

Page<NodeId> scheduled(hub::Transaction& transaction, const TreeRow& tree, Cursor from, std::int64_t limit) {
    return page_of(transaction.query(list_scheduled, tree.key, from.at, limit + 1), from, limit, every);
}

Page<NodeId> with_metadata(hub::Transaction& transaction, const TreeRow& tree, const Json& wanted,
                           Cursor from, std::int64_t limit) {
    return page_of(transaction.query(list_described, tree.key, from.at), from, limit,
                   [&](const hub::Row& row) { return contains(Json::parse(row.text(2)), wanted); });
}

}  // namespace plexus::arbor
