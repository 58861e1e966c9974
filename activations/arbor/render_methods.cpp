#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/json_text.hpp"
#include "activations/arbor/outline.hpp"
#include "activations/arbor/render.hpp"
#include "schema/rpc.hpp"

namespace plexus::arbor {

using hub::Effort;
using hub::Transaction;

namespace {

// The beginning of the text is enough for a line.
const hub::Statement line_of{
    "line_of",
    "SELECT kind, substr(content, 1, 64), handle_plugin, handle_version, handle_method, "
    "handle_meta FROM nodes WHERE key = $1"};
const hub::Statement chains_of{"chains_of", "SELECT key, method FROM chains WHERE node = $1 ORDER BY key"};
const hub::Statement has_chains{"has_chains", "SELECT 1 FROM chains WHERE tree = $1"};

// So many at once: what they resolve to may be large, and only a few words of each are kept.
constexpr std::size_t handles_at_once = 1000;

struct Drawing {
    std::vector<RenderLine> lines;
    std::vector<std::pair<std::size_t, hub::Handle>> handles;  // of which lines
    std::int64_t nodes = 0;
};

void add_streams(Transaction& sql, Key node, std::int64_t depth, Drawing& drawing) {
    std::vector<std::string> texts;
    for (const auto& row : sql.query(chains_of, node)) {
        const auto events = ChainStore(sql).head(row.integer(0));
        if (events > 0)
            texts.push_back("[stream of " + std::to_string(events) + " " + row.get<std::string>(1) + "]");
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        drawing.lines.push_back({depth, i + 1 == texts.size(), std::move(texts[i])});
}

// Children stand before streams: a node's last child is its last line only when it has no stream.
Drawing draw(Transaction& sql, const TreeRow& tree, const Outline& outline) {
    Drawing drawing;
    drawing.nodes = std::ssize(outline.entries);
    const bool streams = sql.query(has_chains, tree.key).next();
    std::vector<std::size_t> open;  // nodes whose streams are still to come
    const auto close_before = [&](std::size_t place) {
        for (; !open.empty() && outline.end(open.back()) <= place; open.pop_back())
            add_streams(sql, outline.entries[open.back()].key, outline.entries[open.back()].depth + 1,
                        drawing);
    };
    const auto has_streams = [&](std::size_t place) {
        return streams && !ChainStore(sql).first_events(outline.entries[place].key).empty();
    };
    for (std::size_t i = 0; i < outline.entries.size(); ++i) {
        close_before(i);
        const auto& entry = outline.entries[i];
        const bool last = outline.is_last_child(i) && !(i > 0 && has_streams(entry.parent));
        auto rows = sql.query(line_of, entry.key);
        rows.next();
        NodeContent content{rows->blob(2), rows->text(3), rows->text(4), rows->text(5), {}, rows->text(1)};
        if (entry.kind == Kind::external)
            drawing.handles.emplace_back(drawing.lines.size(), handle_of(content));
        drawing.lines.push_back(
            {entry.depth, last, shortened(entry.kind == Kind::text ? content.content : "")});
        if (has_streams(i)) open.push_back(i);
    }
    close_before(outline.entries.size());
    return drawing;
}

std::string answer(TreeId tree, const Rendering& rendering, const Drawing& drawing) {
    const bool truncated = rendering.shown < drawing.lines.size();
    return R"({"type":"tree_render","tree_id":")" + to_text(tree) + R"(","render":)" +
           schema::json_string(rendering.text) + R"(,"node_count":)" + std::to_string(drawing.nodes) +
           (truncated ? R"(,"truncated":true})" : R"(,"truncated":false})");
}

}  // namespace

Arbor::awaitable<std::string> Arbor::tree_render(RenderParams params) {
    auto drawing = co_await storage().read(
        [&](Transaction& transaction) {
            const auto tree = TreeStore(transaction).get(params.tree_id);
            if (tree.state == State::archived) throw archived(tree.id);
            if (!params.node_id)
                return draw(transaction, tree, outline_of(transaction, tree, params.include_ephemeral));
            const auto top = NodeStore(transaction).get(tree, *params.node_id);
            return draw(transaction, tree, outline_of(transaction, top, params.include_ephemeral));
        },
        Effort::large);
    for (std::size_t from = 0; from < drawing.handles.size(); from += handles_at_once) {
        const auto some = std::span(drawing.handles)
                              .subspan(from)
                              .first(std::min(handles_at_once, drawing.handles.size() - from));
        if (!params.resolve) {
            for (const auto& [line, handle] : some)
                drawing.lines[line].text = shortened("[" + handle.text() + "]");
            continue;
        }
        std::vector<hub::Handle> wanted;
        for (const auto& [line, handle] : some) wanted.push_back(handle);
        const auto resolved = co_await root_.resolve_anywhere(std::move(wanted));
        for (std::size_t i = 0; i < some.size(); ++i)
            drawing.lines[some[i].first].text = summary(some[i].second, resolved[i]);
    }
    // Much text is no work for the loop, though nothing is read any more. Newlines need escapes: leave them
    // room.
    const auto limit = trees_.settings().answer_bytes / 10 * 9;
    co_return co_await storage().read(
        [&](Transaction&) { return answer(params.tree_id, render(drawing.lines, limit), drawing); },
        Effort::large);
}

}  // namespace plexus::arbor
