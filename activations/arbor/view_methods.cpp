#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/text_runs.hpp"

namespace plexus::arbor {

using hub::Effort;
using hub::Scope;
using hub::Transaction;

namespace {

constexpr std::uint32_t fewest = 1;

Json view_metadata(TreeId source, Seconds now) {
    return {{"is_view", true}, {"source_tree", to_text(source)}, {"created_at", now}};
}

TreeId source_of(const TreeRow& view) {
    const auto metadata = view.metadata ? Json::parse(*view.metadata) : Json();
    const auto* text = metadata.is_object() && metadata.contains("source_tree")
                           ? metadata["source_tree"].get_ptr<const std::string*>()
                           : nullptr;
    const auto id = text ? schema::parse_uuid(*text) : std::nullopt;
    if (!id)
        throw schema::Failure(schema::failed("conflict", "Tree " + to_text(view.id) + " is no view",
                                             {{"tree_id", to_text(view.id)}}));
    return {*id};
}

TreeRow readable(Transaction& transaction, TreeId id) {
    auto tree = TreeStore(transaction).get(id);
    if (tree.state == State::archived) throw archived(id);
    return tree;
}

// What a range node in a view holds: the merged text, or only the reference.
std::string range_text(const RangeShown& shown) {
    const auto* text = std::get_if<RangeText>(&shown);
    return text ? text->content : "";
}

}  // namespace

void Arbor::add_view_methods() {
    method("view_create", "Create an empty view of a tree, to add ranges to", Scope::chat,
           &Arbor::view_create);
    method("view_add_range", "Add a node to a view that stands for a range of its source tree", Scope::chat,
           &Arbor::view_add_range);
    method("detect_text_runs", "Find lines of text nodes that could be read as one", Scope::read,
           &Arbor::detect_text_runs);
    method("view_collapse", "Copy a tree into a view with each run of text as one node", Scope::chat,
           &Arbor::view_collapse);
    method("range_get", "Get what the nodes from one down to another hold", Scope::read, &Arbor::range_get);
    text_method<Rendered>("tree_render", "Show a tree as text", &Arbor::tree_render);
}

Arbor::awaitable<ViewCreated> Arbor::view_create(ViewParams params) {
    const auto now = trees_.now();
    const NewTree view{trees_.new_tree(), trees_.new_node(), std::move(params.owner_id),
                       view_metadata(params.source_tree_id, now)};
    co_await storage().write([&](Transaction& transaction) {
        readable(transaction, params.source_tree_id);
        TreeStore(transaction).create(view, now);
    });
    co_return ViewCreated{view.id, params.source_tree_id};
}

Arbor::awaitable<RangeAdded> Arbor::view_add_range(AddRangeParams params) {
    const auto now = trees_.now();
    const auto id = trees_.new_node();
    co_await storage().write([&](Transaction& transaction) {
        const auto source = readable(transaction, source_of(TreeStore(transaction).get(params.view_tree_id)));
        const auto shown =
            show_range(transaction, source, params.start_node, params.end_node, params.collapse_type);
        NewNode node{id, params.parent, range_text(shown), {}, false, false, {}, ""};
        node.metadata = Json{{"range_handle", range_handle(source.id, params.start_node, params.end_node,
                                                           params.collapse_type)}};
        NodeStore(transaction).create(params.view_tree_id, node, now);
    });
    co_return RangeAdded{params.view_tree_id, id};
}

Arbor::awaitable<RunsDetected> Arbor::detect_text_runs(DetectParams params) {
    const auto least = std::max(params.min_length, fewest);
    auto runs = co_await storage().read(
        [&](Transaction& transaction) {
            return text_runs(transaction, readable(transaction, params.tree_id), least);
        },
        Effort::large);
    co_return RunsDetected{params.tree_id, std::move(runs)};
}

Arbor::awaitable<ViewCollapsed> Arbor::view_collapse(CollapseParams params) {
    const auto now = trees_.now();
    const auto least = std::max(params.min_length, fewest);
    const NewTree view{trees_.new_tree(), trees_.new_node(), std::move(params.owner_id),
                       view_metadata(params.source_tree_id, now)};
    const RepeatableIds ids(trees_.clock().milliseconds(), trees_.seed());
    const auto collapsed = co_await storage().write([&](Transaction& transaction) {
        const auto source = readable(transaction, params.source_tree_id);
        TreeStore(transaction).create(view, now);
        return collapse_into(transaction, source, view.id, least, ids, now);
    });
    co_return ViewCollapsed{view.id, params.source_tree_id, collapsed};
}

Arbor::awaitable<RangeContent> Arbor::range_get(RangeParams params) {
    auto shown = co_await storage().read([&](Transaction& transaction) {
        return show_range(transaction, readable(transaction, params.tree_id), params.start_node,
                          params.end_node, params.collapse_type);
    });
    co_return RangeContent{params.tree_id, params.start_node, params.end_node, std::move(shown)};
}

}  // namespace plexus::arbor
