#include "activations/arbor/answers.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/json_text.hpp"
#include "activations/arbor/outline.hpp"
#include "activations/arbor/walk.hpp"

#include <limits>

namespace plexus::arbor {

namespace {

using hub::Statement;
using hub::Transaction;

const Statement all_nodes{"all_nodes", "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS
                                       " FROM nodes WHERE tree = $1 AND state <= $2 ORDER BY key"};
const Statement all_chains{"all_chains",
                           "SELECT chains.key, chains.node FROM chains WHERE tree = $1 AND EXISTS "
                           "(SELECT 1 FROM chat_events WHERE chain = chains.key) ORDER BY key"};

constexpr auto advise_pages = "read the tree in pages with node_get_subtree or node_get_children";
constexpr auto advise_fewer = "ask for fewer with limit and go on with cursor";
constexpr auto advise_children = "page through the children with node_get_children";
constexpr std::int64_t most_children = 1'000'000;

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
            whole.chains[row.integer(1)].push_back(row.integer(0));
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

// A page of a path: depths `from` to `to`.
struct PathPage {
    TreeRow tree;
    Found end;
    Line line;
    std::int64_t from = 0, to = 0;

    PathPage(Transaction& sql, const PathParams& asked)
        : tree(TreeStore(sql).get(asked.tree_id)),
          end(NodeStore(sql).find(tree, asked.node_id)),
          line(Paths(sql).to(end)),
          from(asked.cursor ? asked.cursor->at : 0),
          to(line.depth()) {
        if (from > line.depth()) throw invalid("cursor is beyond the end of the path");
        if (asked.limit) to = std::min(to, from + page_size(*asked.limit) - 1);
    }
    void finish(JsonText& out) const {
        if (to < line.depth()) out.add(R"(,"next_cursor":")").add(to + 1).add("\"");
        out.add("}");
    }
};

JsonText start(std::size_t limit, std::string_view advice, std::string_view tag, TreeId tree) {
    JsonText out(limit, advice);
    out.add(R"({"type":")").add(tag).add(R"(","tree_id":)").add(tree);
    return out;
}

}  // namespace

std::int64_t page_size(std::uint32_t asked) {
    if (asked == 0) throw invalid("limit must be at least 1");
    return std::min<std::int64_t>(asked, 100'000);
}

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
        add(read_node(row), read_content(row), {parent(whole.outline, place), below});
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

std::string node_answer(Transaction& sql, const NodeGetParams& asked, std::size_t limit) {
    const auto found = NodeStore(sql).find(TreeStore(sql).get(asked.tree_id), asked.node_id);
    auto out = start(limit, advise_children, "node_data", asked.tree_id);
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
    auto out = start(limit, advise_fewer, Subtree::tag, asked.tree_id);
    out.add(R"(,"node_id":)").add(asked.node_id).add(R"(,"nodes":[)");
    const auto most = page_size(asked.limit);
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

std::string path_answer(Transaction& sql, const PathParams& asked, std::size_t limit) {
    const PathPage page(sql, asked);
    auto out = start(limit, advise_fewer, ContextPath::tag, asked.tree_id);
    out.add(R"(,"path":)").add_ids(Paths(sql).ids(page.line, page.from, page.to));
    page.finish(out);
    return std::move(out).take();
}

std::string path_data_answer(Transaction& sql, const PathParams& asked, std::size_t limit) {
    const PathPage page(sql, asked);
    NodeStore nodes(sql);
    Paths paths(sql);
    std::optional<NodeId> above;
    if (page.from > 0) above = paths.ids(page.line, page.from - 1, page.from - 1).front();
    const auto children = paths.children(page.line, page.from, page.to);
    auto child = children.begin();
    std::vector<NodeId> below;
    auto out = start(limit, advise_fewer, ContextPathData::tag, asked.tree_id);
    out.add(R"(,"nodes":[)");
    paths.visit(page.line, page.from, page.to, [&](const NodeRow& node, const NodeContent& content) {
        if (node.depth > page.from) out.add(",");
        below.clear();
        for (; child != children.end() && child->first == node.depth; ++child) below.push_back(child->second);
        add_node(out, node, content, {above, below}, node.key ? nodes.owners(node) : Owners());
        above = node.id;
    });
    out.add("]");
    page.finish(out);
    return std::move(out).take();
}

std::string handles_answer(Transaction& sql, const PathParams& asked, std::size_t limit) {
    const PathPage page(sql, asked);
    auto out = start(limit, advise_fewer, ContextHandles::tag, asked.tree_id);
    out.add(R"(,"handles":[)");
    bool first = true;
    Paths(sql).visit(page.line, page.from, page.to, [&](const NodeRow& node, const NodeContent& content) {
        if (node.kind != Kind::external) return;
        if (!std::exchange(first, false)) out.add(",");
        add_handle(out, content);
    });
    out.add("]");
    page.finish(out);
    return std::move(out).take();
}

std::string between_answer(Transaction& sql, const BetweenParams& asked, std::size_t limit) {
    NodeStore nodes(sql);
    Paths paths(sql);
    const auto tree = TreeStore(sql).get(asked.tree_id);
    const auto up = paths.to(nodes.find(tree, asked.from)), down = paths.to(nodes.find(tree, asked.to));
    const auto meet = paths.common_depth(up, down);
    auto ids = paths.ids(up, meet, up.depth());
    std::ranges::reverse(ids);
    const auto rest = paths.ids(down, meet + 1, down.depth());
    ids.insert(ids.end(), rest.begin(), rest.end());
    auto out =
        start(limit, "the path is too long: use node_get_path with limit", ContextPath::tag, asked.tree_id);
    out.add(R"(,"path":)").add_ids(ids).add("}");
    return std::move(out).take();
}

}  // namespace plexus::arbor
