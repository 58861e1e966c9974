#include "activations/arbor/node_store.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/paths.hpp"
#include "activations/arbor/utf8.hpp"
#include "schema/rpc.hpp"

namespace plexus::arbor {

namespace {

using hub::Statement;

const Statement insert_node{
    "insert_node",
    "INSERT INTO nodes (id, tree, parent, position, depth, kind, state, ref_count, ephemeral, scheduled_at, "
    "created_at, handle_plugin, handle_version, handle_method, handle_meta, metadata, content) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"};
const Statement find_node{"find_node", "SELECT " ARBOR_NODE_COLUMNS " FROM nodes WHERE id = $1"};
const Statement find_by_key{"find_node_by_key", "SELECT " ARBOR_NODE_COLUMNS " FROM nodes WHERE key = $1"};
const Statement load_node{"load_node",
                          "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS " FROM nodes WHERE key = $1"};
const Statement load_below{"load_children",
                           "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS
                           " FROM nodes WHERE parent = $1 AND state <= $2 ORDER BY position"};
const Statement list_children{"list_children",
                              "SELECT position, id FROM nodes WHERE parent = $1 AND position >= $2 "
                              "AND state <= $3 ORDER BY position LIMIT $4"};
const Statement last_position{"last_position",
                              "SELECT position FROM nodes WHERE parent = $1 ORDER BY position DESC LIMIT 1"};
const Statement shift_siblings{
    "shift_siblings", "UPDATE nodes SET position = position + 1 WHERE parent = $1 AND position > $2"};
const Statement find_owners{"find_node_owners",
                            "SELECT owner, count FROM node_refs WHERE node = $1 ORDER BY owner"};
const Statement update_content{"update_content", "UPDATE nodes SET content = $2 WHERE key = $1"};
const Statement update_metadata{"update_node_metadata", "UPDATE nodes SET metadata = $2 WHERE key = $1"};

// As JSON it must fit into a frame, with what else a node says.
constexpr std::size_t most_text = 9 << 20;

int number(auto value) { return static_cast<int>(value); }

}  // namespace

void require_sendable(std::string_view text, std::size_t more) {
    if (!is_utf8(text)) throw invalid("content is not valid UTF-8");
    std::size_t length = text.size() + more;
    for (const char c : text) {
        if (c == '"' || c == '\\') length += 1;
        else if (static_cast<unsigned char>(c) < 0x20) length += 5;
    }
    if (length > most_text)
        throw too_large("Content and metadata of " + std::to_string(length) +
                            " bytes are more than a node may hold (" + std::to_string(most_text) + ")",
                        most_text);
}

NodeId NodeStore::create(TreeId tree_id, const NewNode& node, Seconds now) {
    const auto tree = TreeStore(sql_).get_writable(tree_id);
    const auto parent = node.parent ? get(tree, *node.parent) : by_key(tree.root);
    if (parent.state == State::archived)
        throw conflict("Node " + to_text(parent.id) + " is archived: nothing more can hang below it",
                       parent.id);
    if (!node.leaf) Paths(sql_).join_run(parent);

    const bool ephemeral = node.ephemeral || parent.ephemeral;
    const bool dying = ephemeral && !(parent.ephemeral && lives(parent));
    const auto* handle = std::get_if<hub::Handle>(&node.data);
    std::optional<hub::PluginId> plugin;
    std::optional<std::string> version, method, meta, metadata;
    if (handle) {
        plugin = handle->plugin;
        version = handle->version;
        method = handle->method;
        if (!handle->meta.empty()) meta = schema::to_json_text(handle->meta);
    }
    if (node.metadata) metadata = schema::to_json_text(*node.metadata);
    const auto& content = handle ? node.search_text : std::get<std::string>(node.data);
    require_sendable(content, metadata ? metadata->size() : 0);
    sql_.execute(insert_node, node.id, tree.key, parent.key, make_room(parent.key, node.after),
                 parent.depth + 1, number(handle ? Kind::external : Kind::text),
                 number(dying ? State::scheduled_delete : State::active), ephemeral ? 0 : 1, ephemeral,
                 dying ? std::optional(now) : std::nullopt, now, plugin, version, method, meta, metadata,
                 content);
    TreeStore(sql_).touch(tree.key, now);
    return parent.id;
}

// Whether an ephemeral node is held by a claim on itself or above it, as everything new below it then is.
bool NodeStore::lives(NodeRow node) {
    while (node.ephemeral && node.state == State::active) {
        if (node.ref_count > 0) return true;
        node = by_key(*node.parent);
    }
    return false;
}

std::int64_t NodeStore::make_room(Key parent, const std::optional<NodeId>& after) {
    if (!after) {
        auto rows = sql_.query(last_position, parent);
        return rows.next() ? rows->integer(0) + 1 : 0;
    }
    const auto sibling = row(*after);
    if (!sibling) throw unknown(*after);
    if (sibling->parent != parent)
        throw conflict("Node " + to_text(*after) + " is no sibling to stand behind", *after);
    sql_.execute(shift_siblings, parent, sibling->position);
    return sibling->position + 1;
}

std::optional<NodeRow> NodeStore::row(NodeId id) {
    auto rows = sql_.query(find_node, id);
    if (!rows.next()) return std::nullopt;
    return read_node(*rows);
}

NodeRow NodeStore::get(const TreeRow& tree, NodeId id) {
    auto found = find(tree, id);
    if (found.event)
        throw conflict("Node " + to_text(id) + " is an event of a stream: it stands as it was written", id);
    return std::move(found.node);
}

Found NodeStore::find(const TreeRow& tree, NodeId id) {
    if (auto node = row(id)) {
        if (node->tree != tree.key) throw foreign(id, tree.id);
        return {std::move(*node), {}};
    }
    auto event = ChainStore(sql_).find_row(id);
    if (!event) throw unknown(id);
    if (event->chain.tree != tree.key) throw foreign(id, tree.id);
    const auto depth = by_key(event->chain.node).depth + event->seq;
    return {as_node(*event, depth), std::move(event)};
}

NodeRow NodeStore::by_key(Key key) {
    auto rows = sql_.query(find_by_key, key);
    if (!rows.next())
        throw schema::Failure(schema::failed("corrupt", "A node that others refer to is missing."));
    return read_node(*rows);
}

StoredNode NodeStore::load(Key key) {
    auto rows = sql_.query(load_node, key);
    if (!rows.next())
        throw schema::Failure(schema::failed("corrupt", "A node that others refer to is missing."));
    return read_stored(*rows);
}

std::optional<NodeId> NodeStore::parent_of(const Found& found) {
    if (found.event && found.event->seq > 1)
        return ChainStore(sql_).id_at(found.event->chain.key, found.event->seq - 1);
    if (found.event) return by_key(found.event->chain.node).id;
    if (!found.node.parent) return std::nullopt;
    return by_key(*found.node.parent).id;
}

Page<NodeId> NodeStore::children(const Found& found, bool all, Cursor from, std::int64_t limit) {
    Page<NodeId> page;
    ChainStore chains(sql_);
    if (found.event) {
        if (const auto next = chains.id_at(found.event->chain.key, found.event->seq + 1))
            page.items.push_back(*next);
        return page;
    }
    const auto worst = number(all ? State::archived : State::active);
    for (const auto& row : sql_.query(list_children, found.node.key, from.at, worst, limit + 1)) {
        if (std::ssize(page.items) == limit) {
            page.next = Cursor{row.integer(0)};
            return page;
        }
        page.items.push_back(row.get<NodeId>(1));
    }
    const auto events = chains.first_events(found.node.key);
    page.items.insert(page.items.end(), events.begin(), events.end());
    return page;
}

std::vector<StoredNode> NodeStore::load_children(Key parent, bool all) {
    std::vector<StoredNode> children;
    for (const auto& row : sql_.query(load_below, parent, number(all ? State::archived : State::active)))
        children.push_back(read_stored(row));
    return children;
}

Owners NodeStore::owners(const NodeRow& node) {
    Owners owners;
    if (node.ref_count == (node.ephemeral ? 0 : 1)) return owners;
    for (const auto& row : sql_.query(find_owners, node.key))
        owners[row.get<std::string>(0)] = row.integer(1);
    return owners;
}

void NodeStore::update(const NodeRow& node, const std::optional<std::string>& content,
                       const std::optional<Json>& metadata) {
    if (metadata) sql_.execute(update_metadata, node.key, schema::to_json_text(*metadata));
    if (content) sql_.execute(update_content, node.key, *content);
    const auto stored = load(node.key);
    require_sendable(stored.content, stored.metadata ? stored.metadata->size() : 0);
}

}  // namespace plexus::arbor
