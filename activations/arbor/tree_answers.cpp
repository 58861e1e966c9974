#include "activations/arbor/answers.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/json_text.hpp"
#include "activations/arbor/outline.hpp"

namespace plexus::arbor {

using hub::Statement;
using hub::Transaction;

namespace {

const Statement all_nodes{"all_nodes", "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS
                                       " FROM nodes WHERE tree = $1 AND state <= $2 ORDER BY key"};
const Statement all_chains{"all_chains",
                           "SELECT chains.key, chains.node FROM chains WHERE tree = $1 AND EXISTS "
                           "(SELECT 1 FROM chat_events WHERE chain = chains.key) ORDER BY key"};

constexpr auto advise_pages = "read the tree in pages with node_get_subtree or node_get_children";

struct WholeTree {
    TreeRow tree;
    Outline outline;
    std::map<Key, std::vector<Key>> chains;  // by the node they hang under; empty unless events are wanted
};

WholeTree load(Transaction& sql, const TreeGetParams& asked) {
    WholeTree whole{TreeStore(sql).get(asked.tree_id), {}, {}};
    if (whole.tree.state == State::archived) throw archived(asked.tree_id);
    whole.outline = outline_of(sql, whole.tree, asked.include_ephemeral);
    if (asked.include_events)
        for (const auto& row : sql.query(all_chains, whole.tree.key))
            if (whole.outline.find(row.integer(1))) whole.chains[row.integer(1)].push_back(row.integer(0));
    return whole;
}

std::vector<NodeId> children(Transaction& sql, const WholeTree& whole, std::size_t place) {
    auto ids = whole.outline.children(place);
    const auto found = whole.chains.find(whole.outline.entries[place].key);
    if (found == whole.chains.end()) return ids;
    for (const auto chain : found->second) ids.push_back(ChainStore(sql).id_at(chain, 1).value());
    return ids;
}

std::optional<NodeId> parent(const Outline& outline, std::size_t place) {
    if (place == 0) return std::nullopt;
    return outline.entries[outline.entries[place].parent].id;
}

// Every event of the wanted chains, with its parent and its child.
template <class Add>
void each_event(Transaction& sql, const WholeTree& whole, Add add) {
    Paths paths(sql);
    for (const auto& [node, chains] : whole.chains) {
        const auto& entry = whole.outline.entries[whole.outline.place_of(node)];
        for (const auto chain : chains) {
            const Line line{{{Span::Of::chain, chain, 1, ChainStore(sql).head(chain)}}};
            const auto ids = paths.ids(line, 1, line.depth());
            std::size_t i = 0;
            paths.visit(line, 1, line.depth(), [&](const NodeRow& event, const NodeContent& content) {
                const NodeFamily family{i == 0 ? entry.id : ids[i - 1],
                                        std::span(ids).subspan(i + 1).first(i + 1 < ids.size() ? 1 : 0)};
                add(event, content, family);
                ++i;
            });
        }
    }
}

}  // namespace

std::string tree_answer(Transaction& sql, const TreeGetParams& asked, std::size_t limit) {
    const auto whole = load(sql, asked);
    const auto& tree = whole.tree;
    NodeStore nodes(sql);
    JsonText out(limit, advise_pages);
    out.add(R"({"type":"tree_data","tree":{"id":)").add(tree.id);
    out.add(R"(,"root":)").add(whole.outline.entries.at(0).id).add(R"(,"nodes":{)");
    bool first = true;
    const auto add = [&](const NodeRow& node, const NodeContent& content, const NodeFamily& family) {
        if (!std::exchange(first, false)) out.add(",");
        out.add(node.id).add(":");
        add_node(out, node, content, family, node.key ? nodes.owners(node) : Owners());
    };
    for (const auto& row : sql.query(all_nodes, tree.key, asked.include_ephemeral ? 2 : 0)) {
        const auto place = whole.outline.place_of(row.integer(0));
        const auto below = children(sql, whole, place);
        const auto node = read_node(row);
        add(node, read_content(row, node.kind), {parent(whole.outline, place), below});
    }
    each_event(sql, whole, add);
    out.add("}");
    add_condition(out, tree.state, tree.ref_count, TreeStore(sql).owners(tree.key), tree.scheduled_at,
                  tree.archived_at);
    out.add(R"(,"created_at":)").add(tree.created_at).add(R"(,"updated_at":)").add(tree.updated_at);
    if (tree.metadata) out.add(R"(,"metadata":)").add(*tree.metadata);
    out.add("}}");
    return std::move(out).take();
}

std::string skeleton_answer(Transaction& sql, const TreeGetParams& asked, std::size_t limit) {
    const auto whole = load(sql, asked);
    JsonText out(limit, advise_pages);
    out.add(R"({"type":"tree_skeleton","skeleton":{"id":)").add(whole.tree.id);
    out.add(R"(,"root":)").add(whole.outline.entries.at(0).id).add(R"(,"nodes":{)");
    bool first = true;
    const auto add = [&](NodeId id, Kind kind, const NodeFamily& family) {
        if (!std::exchange(first, false)) out.add(",");
        out.add(id).add(R"(:{"id":)").add(id).add(R"(,"parent":)");
        if (family.parent) out.add(*family.parent);
        else out.add("null");
        out.add(R"(,"children":)").add_ids(family.children);
        out.add(kind == Kind::text ? R"(,"node_type":"text"})" : R"(,"node_type":"external"})");
    };
    for (std::size_t i = 0; i < whole.outline.entries.size(); ++i) {
        const auto below = children(sql, whole, i);
        add(whole.outline.entries[i].id, whole.outline.entries[i].kind, {parent(whole.outline, i), below});
    }
    each_event(sql, whole, [&](const NodeRow& event, const NodeContent&, const NodeFamily& family) {
        add(event.id, event.kind, family);
    });
    out.add(R"(},"state":")").add(schema::Codec<State>::name(whole.tree.state)).add("\"}}");
    return std::move(out).take();
}

}  // namespace plexus::arbor
