#include "activations/arbor/answers.hpp"

#include "activations/arbor/failures.hpp"
#include "activations/arbor/json_text.hpp"

#include <algorithm>

namespace plexus::arbor {

using hub::Transaction;

namespace {

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
        if (asked.limit) to = std::min(to, from + page_size(*asked.limit, 100'000) - 1);
    }
    void finish(JsonText& out) const {
        if (to < line.depth()) out.add(R"(,"next_cursor":")").add(to + 1).add("\"");
        out.add("}");
    }
};

}  // namespace

std::string path_answer(Transaction& sql, const PathParams& asked, std::size_t limit) {
    const PathPage page(sql, asked);
    auto out =
        answer(limit, "ask for fewer with limit and go on with cursor", ContextPath::tag, asked.tree_id);
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
    auto out =
        answer(limit, "ask for fewer with limit and go on with cursor", ContextPathData::tag, asked.tree_id);
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
    auto out =
        answer(limit, "ask for fewer with limit and go on with cursor", ContextHandles::tag, asked.tree_id);
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
        answer(limit, "the path is too long: use node_get_path with limit", ContextPath::tag, asked.tree_id);
    out.add(R"(,"path":)").add_ids(ids).add("}");
    return std::move(out).take();
}

}  // namespace plexus::arbor
