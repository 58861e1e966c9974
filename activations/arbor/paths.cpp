#include "activations/arbor/paths.hpp"

#include "activations/arbor/columns.hpp"

#include <algorithm>
#include <limits>

namespace plexus::arbor {

namespace {

using hub::Statement;
using schema::Failure;

const Statement insert_run{"insert_run",
                           "INSERT INTO segments (tree, parent_node) VALUES ($1, $2) RETURNING key"};
const Statement run_parent{"run_parent", "SELECT parent_node FROM segments WHERE key = $1"};
const Statement node_in_run{"node_in_run", "SELECT 1 FROM nodes WHERE segment = $1 AND depth = $2"};
const Statement set_run{"set_run", "UPDATE nodes SET segment = $2 WHERE key = $1"};
const Statement move_run_rest{"move_run_rest",
                              "UPDATE nodes SET segment = $3 WHERE segment = $1 AND depth >= $2"};
const Statement drop_empty{"drop_empty_run",
                           "DELETE FROM segments WHERE key = $1 AND NOT EXISTS "
                           "(SELECT 1 FROM nodes WHERE nodes.segment = $1)"};
const Statement run_ids{"run_ids",
                        "SELECT id FROM nodes WHERE segment = $1 AND depth BETWEEN $2 AND $3 ORDER BY depth"};
const Statement node_id{"node_id", "SELECT id FROM nodes WHERE key = $1"};
const Statement chain_ids{
    "chain_ids", "SELECT id FROM chat_events WHERE chain = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq"};
const Statement run_nodes{"run_nodes",
                          "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS
                          " FROM nodes WHERE segment = $1 AND depth BETWEEN $2 AND $3 ORDER BY depth"};
const Statement lone_node{"lone_node",
                          "SELECT " ARBOR_NODE_COLUMNS ARBOR_CONTENT_COLUMNS " FROM nodes WHERE key = $1"};
const Statement chain_nodes{
    "chain_nodes",
    "SELECT chat_events.seq, chat_events.id, chat_events.type, chat_events.created_at, "
    "chains.tree, chains.plugin, chains.version, chains.method "
    "FROM chains JOIN chat_events ON chat_events.chain = chains.key "
    "WHERE chains.key = $1 AND chat_events.seq BETWEEN $2 AND $3 "
    "ORDER BY chat_events.seq"};

// Read from indexes alone, in one go for a whole run.
const Statement run_children{
    "run_children",
    "SELECT nodes.depth, child.id FROM nodes JOIN nodes AS child ON child.parent = nodes.key "
    "WHERE nodes.segment = $1 AND nodes.depth BETWEEN $2 AND $3 AND child.state = 0 "
    "ORDER BY nodes.depth, child.position"};
const Statement run_events{
    "run_events",
    "SELECT nodes.depth, chat_events.id FROM nodes JOIN chains ON chains.node = nodes.key "
    "JOIN chat_events ON chat_events.chain = chains.key AND chat_events.seq = 1 "
    "WHERE nodes.segment = $1 AND nodes.depth BETWEEN $2 AND $3 "
    "ORDER BY nodes.depth, chains.key"};

[[noreturn]] void broken_path() {
    throw Failure(schema::failed("corrupt", "A path has a gap: arbor.check tells where."));
}

// The part of a span that lies within these depths; empty when low > high.
Span clipped(Span span, std::int64_t from, std::int64_t to) {
    span.low = std::max(span.low, from);
    span.high = std::min(span.high, to);
    return span;
}

bool same_line(const Span& a, const Span& b) { return a.of == b.of && a.key == b.key; }

}  // namespace

Line Paths::to(const Found& found) {
    if (!found.event) return to(found.node);
    const auto& event = *found.event;
    auto line = to(NodeStore(sql_).by_key(event.chain.node));
    const auto base = line.depth();
    line.spans.push_back({Span::Of::chain, event.chain.key, base + 1, base + event.seq});
    return line;
}

Line Paths::to(NodeRow node) {
    NodeStore nodes(sql_);
    Line line;
    for (;;) {
        std::optional<Key> parent;
        if (node.segment) {
            line.spans.push_back({Span::Of::run, *node.segment, 0, node.depth});
            auto rows = sql_.query(run_parent, *node.segment);
            if (!rows.next()) broken_path();
            parent = rows->get<std::optional<Key>>(0);
        } else {
            line.spans.push_back({Span::Of::node, node.key, node.depth, node.depth});
            parent = node.parent;
        }
        if (!parent) break;
        node = nodes.by_key(*parent);
        if (node.depth >= line.spans.back().high) broken_path();
        line.spans.back().low = node.depth + 1;
    }
    std::ranges::reverse(line.spans);
    return line;
}

std::vector<NodeId> Paths::ids(const Line& line, std::int64_t from, std::int64_t to) {
    std::vector<NodeId> ids;
    for (const auto& whole : line.spans) {
        const auto span = clipped(whole, from, to);
        if (span.low > span.high) continue;
        const auto before = std::ssize(ids);
        const auto seq = 1 - whole.low;
        auto rows = span.of == Span::Of::run ? sql_.query(run_ids, span.key, span.low, span.high)
                    : span.of == Span::Of::node
                        ? sql_.query(node_id, span.key)
                        : sql_.query(chain_ids, span.key, span.low + seq, span.high + seq);
        for (const auto& row : rows) ids.push_back(row.get<NodeId>(0));
        if (std::ssize(ids) - before != span.high - span.low + 1) broken_path();
    }
    return ids;
}

void Paths::visit(const Line& line, std::int64_t from, std::int64_t to, const Visitor& visitor) {
    for (const auto& whole : line.spans) {
        const auto span = clipped(whole, from, to);
        if (span.low > span.high) continue;
        if (span.of == Span::Of::chain) {
            visit_events(whole, span.low, span.high, visitor);
            continue;
        }
        auto expected = span.low;
        auto rows = span.of == Span::Of::run ? sql_.query(run_nodes, span.key, span.low, span.high)
                                             : sql_.query(lone_node, span.key);
        for (const auto& row : rows) {
            const auto node = read_node(row);
            if (node.depth != expected++) broken_path();
            visitor(node, read_content(row, node.kind));
        }
        if (expected != span.high + 1) broken_path();
    }
}

void Paths::visit_events(const Span& span, std::int64_t from, std::int64_t to, const Visitor& visitor) {
    const auto base = span.low - 1;
    auto expected = from;
    for (const auto& row : sql_.query(chain_nodes, span.key, from - base, to - base)) {
        EventRow event;
        event.seq = row.integer(0);
        event.id = row.get<NodeId>(1);
        event.created_at = row.integer(3);
        event.chain.tree = row.integer(4);
        if (base + event.seq != expected++) broken_path();
        const auto meta = handle_meta(event.id, row.text(2));
        visitor(as_node(event, base + event.seq),
                NodeContent{row.blob(5), row.text(6), row.text(7), meta, {}, {}});
    }
    if (expected != to + 1) broken_path();
}

std::vector<StoredNode> Paths::load(const Line& line) {
    std::vector<StoredNode> nodes;
    visit(line, 0, line.depth(), [&](const NodeRow& row, const NodeContent& content) {
        nodes.emplace_back(StoredNode{row, {}, {}, {}}).take(content);
    });
    return nodes;
}

std::vector<std::pair<std::int64_t, NodeId>> Paths::children(const Line& line, std::int64_t from,
                                                             std::int64_t to) {
    std::vector<std::pair<std::int64_t, NodeId>> below;
    for (const auto& whole : line.spans) {
        const auto span = clipped(whole, from, to);
        if (span.low > span.high) continue;
        if (span.of == Span::Of::run) {
            const auto start = std::ssize(below);
            for (const auto* statement : {&run_children, &run_events})
                for (const auto& row : sql_.query(*statement, span.key, span.low, span.high))
                    below.emplace_back(row.integer(0), row.get<NodeId>(1));
            std::ranges::stable_sort(below.begin() + start, below.end(), {},
                                     &std::pair<std::int64_t, NodeId>::first);
        } else if (span.of == Span::Of::node) {
            const Found lone{NodeStore(sql_).by_key(span.key), {}};
            for (const auto& id :
                 NodeStore(sql_).children(lone, false, {}, std::numeric_limits<int>::max()).items)
                below.emplace_back(span.low, id);
        } else {
            const auto base = whole.low - 1;
            auto depth = span.low;
            for (const auto& row : sql_.query(chain_ids, span.key, span.low - base + 1, span.high - base + 1))
                below.emplace_back(depth++, row.get<NodeId>(0));
        }
    }
    return below;
}

// Paths part at the end of one span or within one that both share.
std::int64_t Paths::common_depth(const Line& a, const Line& b) {
    std::int64_t common = -1;
    for (std::size_t i = 0; i < std::min(a.spans.size(), b.spans.size()); ++i) {
        if (!same_line(a.spans[i], b.spans[i])) break;
        common = std::min(a.spans[i].high, b.spans[i].high);
        if (a.spans[i].high != b.spans[i].high) break;
    }
    return common;
}

void Paths::join_run(const NodeRow& node) {
    if (node.segment) return;
    std::optional<Key> run;
    if (node.parent) {
        const auto parent = NodeStore(sql_).by_key(*node.parent);
        if (parent.segment && !sql_.query(node_in_run, *parent.segment, node.depth).next())
            run = parent.segment;
    }
    sql_.execute(set_run, node.key, run ? *run : new_run(node.tree, node.parent));
}

void Paths::split_run(const NodeRow& node, Key parent) {
    if (!node.segment) return;
    sql_.execute(move_run_rest, *node.segment, node.depth, new_run(node.tree, parent));
    drop_if_empty(*node.segment);
}

void Paths::drop_if_empty(Key run) { sql_.execute(drop_empty, run); }

Key Paths::new_run(Key tree, std::optional<Key> parent) {
    auto rows = sql_.query(insert_run, tree, parent);
    rows.next();
    return rows->integer(0);
}

}  // namespace plexus::arbor
