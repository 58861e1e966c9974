// Nodes: making them, finding them, their children. Synchronous: for work inside one transaction.
#pragma once

#include "activations/arbor/chain_store.hpp"
#include "activations/arbor/tree_store.hpp"

#include <functional>
#include <variant>

namespace plexus::arbor {

struct NewNode {
    NodeId id{};
    std::optional<NodeId> parent;  // none: the root
    std::variant<std::string, hub::Handle> data;
    std::optional<Json> metadata;
    bool ephemeral = false;       // gone after a while unless somebody claims it; so is all that hangs below
    bool leaf = false;            // a part of its parent: no conversation goes on below it
    std::optional<NodeId> after;  // stands right behind this sibling; at the end when there is none
    std::string search_text;      // what a search finds an external node by
};

// A node, or an event in its place.
struct Found {
    NodeRow node;
    std::optional<EventRow> event;
};

class NodeStore {
public:
    explicit NodeStore(hub::Transaction& transaction) : sql_(transaction) {}

    // Its parent.
    NodeId create(TreeId tree, const NewNode& node, Seconds now);

    // Throw not_found, and `conflict` when the node stands in another tree.
    NodeRow get(const TreeRow& tree, NodeId id);  // refuses events: they are not to be changed
    Found find(const TreeRow& tree, NodeId id);
    NodeRow by_key(Key key);
    StoredNode load(Key key);
    std::optional<NodeId> parent_of(const Found& found);

    // Ids in order, events' chains last. The cursor counts positions.
    Page<NodeId> children(const Found& found, bool all, Cursor from, std::int64_t limit);
    // Ordinary children, in order, with what they hold.
    std::vector<StoredNode> load_children(Key parent, bool all = false);
    Owners owners(const NodeRow& node);

    void update(const NodeRow& node, const std::optional<std::string>& content,
                const std::optional<Json>& metadata);
    // Room right behind a sibling, or behind all of them: the position there.
    std::int64_t make_room(Key parent, const std::optional<NodeId>& after);

private:
    std::optional<NodeRow> row(NodeId id);
    bool lives(NodeRow node);

    hub::Transaction& sql_;
};

// Throws invalid_params or too_large for text that, with so many bytes more, could not be sent back to
// anyone.
void require_sendable(std::string_view text, std::size_t more = 0);

}  // namespace plexus::arbor
