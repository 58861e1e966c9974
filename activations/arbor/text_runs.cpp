#include "activations/arbor/text_runs.hpp"

#include "activations/arbor/failures.hpp"
#include "activations/arbor/utf8.hpp"
#include "schema/rpc.hpp"

namespace plexus::arbor {

namespace {

constexpr std::size_t most_copied = 100'000;

std::string content_of(hub::Transaction& transaction, Key node) {
    return text_of(NodeStore(transaction).load(node).content);
}

// How many nodes of a run begin here: 1 and more, or 0 for what can be in no run.
std::size_t run_length(const Outline& outline, std::size_t i) {
    std::size_t length = 0;
    for (;; ++i) {
        if (i == 0 || outline.entries[i].kind != Kind::text) return length;
        ++length;
        const bool one_child = outline.entries[i].size > 1 && outline.end(i + 1) == outline.end(i);
        if (!one_child || outline.entries[i + 1].kind != Kind::text) return length;
    }
}

std::optional<Json> metadata_of(const StoredNode& node) {
    if (!node.metadata) return std::nullopt;
    return Json::parse(*node.metadata);
}

}  // namespace

NodeId RepeatableIds::next() {
    seed_ += 0x9e3779b97f4a7c15;  // splitmix64
    auto bits = seed_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return {ordered_.next(unix_ms_, bits ^ (bits >> 31))};
}

std::string text_of(std::string_view content) {
    if (content.starts_with('{')) {
        const auto json = Json::parse(content, nullptr, false);
        if (json.is_object() && json.value("type", Json()) == "content_text")
            if (const auto text = json.find("text"); text != json.end() && text->is_string())
                return text->get<std::string>();
    }
    return std::string(content);
}

std::vector<TextRun> text_runs(hub::Transaction& transaction, const TreeRow& tree, std::int64_t least) {
    std::vector<TextRun> runs;
    const auto outline = outline_of(transaction, tree, false);
    for (std::size_t i = 1; i < outline.entries.size();) {
        const auto length = run_length(outline, i);
        if (length == 0 || std::int64_t(length) < least) {
            i += std::max<std::size_t>(length, 1);
            continue;
        }
        TextRun run{outline.entries[i].id, outline.entries[i + length - 1].id, std::int64_t(length), 0};
        for (const auto end = i + length; i < end; ++i)
            run.char_count += count_characters(content_of(transaction, outline.entries[i].key));
        runs.push_back(run);
    }
    return runs;
}

std::int64_t collapse_into(hub::Transaction& transaction, const TreeRow& source, TreeId view,
                           std::int64_t least, RepeatableIds ids, Seconds now) {
    const auto outline = outline_of(transaction, source, false);
    if (outline.entries.size() > most_copied)
        throw too_large("Tree " + to_text(source.id) + " has more nodes than a view may copy", most_copied);
    NodeStore nodes(transaction);
    const auto root = nodes.by_key(TreeStore(transaction).get(view).root).id;
    std::vector<NodeId> copies(outline.entries.size(), root);
    std::int64_t collapsed = 0;
    for (std::size_t i = 1; i < outline.entries.size();) {
        const auto length = run_length(outline, i);
        NewNode copy{ids.next(), copies[outline.entries[i].parent], "", {}, false, false, {}, ""};
        auto end = i + 1;
        if (length > 0 && std::int64_t(length) >= least) {
            end = i + length;
            std::string text;
            for (auto part = i; part < end; ++part)
                text += content_of(transaction, outline.entries[part].key);
            copy.data = R"({"type":"content_text","text":)" + schema::json_string(text) + "}";
            copy.metadata = Json{{"range_handle", range_handle(source.id, outline.entries[i].id,
                                                               outline.entries[end - 1].id, TextMerge{})}};
            ++collapsed;
        } else {
            const auto node = nodes.load(outline.entries[i].key);
            if (node.kind == Kind::external) copy.data = node.handle;
            else copy.data = node.content;
            copy.metadata = metadata_of(node);
        }
        nodes.create(view, copy, now);
        for (; i < end; ++i) copies[i] = copy.id;
    }
    return collapsed;
}

RangeShown show_range(hub::Transaction& transaction, const TreeRow& tree, NodeId start, NodeId end,
                      const CollapseType& how) {
    NodeStore nodes(transaction);
    Paths paths(transaction);
    const auto first = nodes.find(tree, start).node.depth;
    const auto line = paths.to(nodes.find(tree, end));
    if (first > line.depth() || paths.ids(line, first, first).front() != start)
        throw conflict("Node " + to_text(end) + " is not below node " + to_text(start), end);
    const auto count = line.depth() - first + 1;
    if (std::holds_alternative<StructureRef>(how)) return RangeReference{tree.id, start, end, count};
    if (const auto* custom = std::get_if<Custom>(&how))
        return RangeCustom{custom->strategy, count, custom->metadata};
    RangeText text{"", count, paths.ids(line, first, line.depth())};
    paths.visit(line, first, line.depth(), [&](const NodeRow& node, const NodeContent& content) {
        if (node.kind == Kind::text) text.content += text_of(content.content);
    });
    require_sendable(text.content, text.node_ids.size() * 40);
    return text;
}

Json range_handle(TreeId tree, NodeId start, NodeId end, const CollapseType& how) {
    return {{"tree_id", to_text(tree)},
            {"start_node", to_text(start)},
            {"end_node", to_text(end)},
            {"collapse_type", schema::encode(how)}};
}

}  // namespace plexus::arbor
