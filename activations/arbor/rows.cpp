#include "activations/arbor/rows.hpp"

#include <algorithm>

namespace plexus::arbor {

namespace {

constexpr int content_column = 14;  // the first behind a node's own

}  // namespace

TreeRow read_tree(const hub::Row& row) {
    TreeRow tree;
    tree.key = row.integer(0);
    tree.id = row.get<TreeId>(1);
    tree.root = row.integer(2);
    tree.ref_count = row.integer(3);
    tree.state = static_cast<State>(row.integer(4));
    tree.scheduled_at = row.get<std::optional<Seconds>>(5);
    tree.archived_at = row.get<std::optional<Seconds>>(6);
    tree.created_at = row.integer(7);
    tree.updated_at = row.integer(8);
    tree.metadata = row.get<std::optional<std::string>>(9);
    return tree;
}

NodeRow read_node(const hub::Row& row) {
    NodeRow node;
    node.key = row.integer(0);
    node.id = row.get<NodeId>(1);
    node.tree = row.integer(2);
    node.parent = row.get<std::optional<Key>>(3);
    node.position = row.integer(4);
    node.depth = row.integer(5);
    node.segment = row.get<std::optional<Key>>(6);
    node.kind = static_cast<Kind>(row.integer(7));
    node.state = static_cast<State>(row.integer(8));
    node.ref_count = row.integer(9);
    node.ephemeral = row.integer(10) != 0;
    if (node.state != State::active) {
        node.scheduled_at = row.get<std::optional<Seconds>>(11);
        node.archived_at = row.get<std::optional<Seconds>>(12);
    }
    node.created_at = row.integer(13);
    return node;
}

NodeContent read_content(const hub::Row& row, Kind kind) {
    NodeContent content;
    if (kind == Kind::external) {
        content.plugin = row.blob(content_column);
        content.version = row.text(content_column + 1);
        content.method = row.text(content_column + 2);
        content.meta = row.text(content_column + 3);
    } else {
        content.content = row.text(content_column + 5);
    }
    if (!row.is_null(content_column + 4)) content.metadata = row.text(content_column + 4);
    return content;
}

StoredNode read_stored(const hub::Row& row) {
    StoredNode node{read_node(row), {}, {}, {}};
    node.take(read_content(row, node.kind));
    return node;
}

void StoredNode::take(const NodeContent& held) {
    if (kind == Kind::text) content = held.content;
    else handle = handle_of(held);
    if (held.metadata) metadata = std::string(*held.metadata);
}

hub::Handle handle_of(const NodeContent& content) {
    hub::Handle handle;
    if (content.plugin.size() != handle.plugin.size())
        throw schema::Failure(schema::failed("corrupt", "A stored plugin id has the wrong length."));
    std::ranges::copy(content.plugin, handle.plugin.begin());
    handle.version = content.version;
    handle.method = content.method;
    if (!content.meta.empty()) handle.meta = Json::parse(content.meta).get<std::vector<std::string>>();
    return handle;
}

}  // namespace plexus::arbor
