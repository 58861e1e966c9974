#include "activations/arbor/outline.hpp"

#include "activations/arbor/failures.hpp"

#include <algorithm>

namespace plexus::arbor {

namespace {

const hub::Statement tree_shape{"tree_shape",
                                "SELECT key, id, parent, position, kind FROM nodes "
                                "WHERE tree = $1 AND state <= $2 ORDER BY key"};

constexpr std::size_t most_nodes = 2'000'000;

struct Loose {
    Key key;
    NodeId id;
    std::optional<Key> parent;
    std::int64_t position;
    Kind kind;
};

// Puts nodes in preorder from the top down, without recursion: chains can be deep.
Outline arranged(std::vector<Loose> nodes, Key top) {
    std::ranges::sort(nodes, [](const Loose& a, const Loose& b) {
        return std::tie(a.parent, a.position, a.key) < std::tie(b.parent, b.position, b.key);
    });
    Outline outline;
    outline.entries.reserve(nodes.size());
    struct Pending {
        const Loose* node;
        std::size_t parent;
        std::int64_t depth;
    };
    std::vector<Pending> stack;
    const auto start = std::ranges::find(nodes, top, &Loose::key);
    if (start != nodes.end()) stack.push_back({&*start, 0, 0});
    while (!stack.empty()) {
        const auto [node, parent, depth] = stack.back();
        stack.pop_back();
        const auto place = outline.entries.size();
        outline.entries.push_back({node->key, node->id, parent, 1, depth, node->kind});
        const auto below = std::ranges::equal_range(nodes, std::optional(node->key), {}, &Loose::parent);
        for (const auto& child : below | std::views::reverse) stack.push_back({&child, place, depth + 1});
    }
    for (std::size_t i = outline.entries.size(); i-- > 1;)
        outline.entries[outline.entries[i].parent].size += outline.entries[i].size;
    outline.index();
    return outline;
}

}  // namespace

std::vector<NodeId> Outline::children(std::size_t i) const {
    std::vector<NodeId> ids;
    for (auto child = first_child(i); child != end(i); child = end(child)) ids.push_back(entries[child].id);
    return ids;
}

void Outline::index() {
    places_.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) places_.emplace_back(entries[i].key, i);
    std::ranges::sort(places_);
}

std::optional<std::size_t> Outline::find(Key key) const {
    const auto found = std::ranges::lower_bound(places_, key, {}, &std::pair<Key, std::size_t>::first);
    if (found == places_.end() || found->first != key) return std::nullopt;
    return found->second;
}

std::size_t Outline::place_of(Key key) const {
    if (const auto place = find(key)) return *place;
    throw schema::Failure(schema::failed("corrupt", "A node hangs under none: arbor.check tells which."));
}

Outline outline_of(hub::Transaction& transaction, const TreeRow& tree, bool all) {
    std::vector<Loose> nodes;
    for (const auto& row : transaction.query(tree_shape, tree.key, all ? 2 : 0)) {
        if (nodes.size() == most_nodes)
            throw too_large("Tree " + to_text(tree.id) + " has more than " + std::to_string(most_nodes) +
                                " nodes; read it in pages with node_get_subtree or node_get_children",
                            most_nodes);
        nodes.push_back({row.integer(0), row.get<NodeId>(1), row.get<std::optional<Key>>(2), row.integer(3),
                         static_cast<Kind>(row.integer(4))});
    }
    return arranged(std::move(nodes), tree.root);
}

Outline outline_of(hub::Transaction& transaction, const NodeRow& top, bool all) {
    std::vector<Loose> nodes;
    for (const auto& row : BranchStore(transaction).rows(top.key))
        if (all || row.state == State::active || row.key == top.key)
            nodes.push_back({row.key, row.id, row.parent, row.position, row.kind});
    return arranged(std::move(nodes), top.key);
}

}  // namespace plexus::arbor
