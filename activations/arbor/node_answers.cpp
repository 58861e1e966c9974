#include "activations/arbor/answers.hpp"

#include "activations/arbor/failures.hpp"
#include "activations/arbor/json_text.hpp"
#include "activations/arbor/walk.hpp"

#include <limits>

namespace plexus::arbor {

using hub::Transaction;

namespace {

constexpr std::int64_t most_children = 1'000'000;

Span span_of(const Found& found) {
    if (!found.event) return {Span::Of::node, found.node.key, found.node.depth, found.node.depth};
    return {Span::Of::chain, found.event->chain.key, found.node.depth - found.event->seq + 1,
            found.node.depth};
}

void add_one(JsonText& out, Transaction& sql, const Found& found, bool all) {
    NodeStore nodes(sql);
    const auto below = nodes.children(found, all, {}, most_children).items;
    const NodeFamily family{nodes.parent_of(found), below};
    Paths(sql).visit({{span_of(found)}}, found.node.depth, found.node.depth,
                     [&](const NodeRow& node, const NodeContent& content) {
                         add_node(out, node, content, family, nodes.owners(node));
                     });
}

}  // namespace

std::int64_t page_size(std::uint32_t asked, std::int64_t most) {
    if (asked == 0) throw invalid("limit must be at least 1");
    return std::min<std::int64_t>(asked, most);
}

std::string node_answer(Transaction& sql, const NodeGetParams& asked, std::size_t limit) {
    const auto found = NodeStore(sql).find(TreeStore(sql).get(asked.tree_id), asked.node_id);
    auto out = answer(limit, "page through the children with node_get_children", "node_data", asked.tree_id);
    out.add(R"(,"node":)");
    add_one(out, sql, found, asked.include_ephemeral);
    out.add("}");
    return std::move(out).take();
}

std::string subtree_answer(Transaction& sql, const SubtreeParams& asked, std::size_t limit) {
    NodeStore nodes(sql);
    const auto tree = TreeStore(sql).get(asked.tree_id);
    const auto top = nodes.get(tree, asked.node_id);
    const auto levels = asked.max_depth.value_or(std::numeric_limits<std::int32_t>::max());
    Walk walk(sql, top, asked.include_ephemeral, levels);
    std::optional<NodeRow> node = top;
    if (asked.cursor) {
        const auto last = nodes.get(tree, *asked.cursor);
        if (last.depth < top.depth ||
            Paths(sql).ids(Paths(sql).to(last), top.depth, top.depth).front() != top.id)
            throw invalid("cursor is no node of this subtree");
        node = walk.next(last);
    }
    auto out = answer(limit, "ask for fewer with limit and go on with cursor", Subtree::tag, asked.tree_id);
    out.add(R"(,"node_id":)").add(asked.node_id).add(R"(,"nodes":[)");
    const auto most = page_size(asked.limit, 100'000);
    std::optional<NodeId> last;
    for (std::int64_t count = 0; node && count < most; ++count) {
        if (last) out.add(",");
        add_one(out, sql, {*node, {}}, asked.include_ephemeral);
        last = node->id;
        node = walk.next(*node);
    }
    out.add("]");
    if (node) out.add(R"(,"next_cursor":)").add(*last);
    out.add("}");
    return std::move(out).take();
}

}  // namespace plexus::arbor
