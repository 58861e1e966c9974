// arbor on the wire: trees, nodes, paths, views. Names and shapes are those public clients know, and more.
// The methods stand in *_methods.cpp, by theme; they hand their work to the stores, in one transaction each.
#pragma once

#include "activations/arbor/arbor.hpp"
#include "activations/arbor/wire_nodes.hpp"
#include "activations/arbor/wire_trees.hpp"
#include "activations/arbor/wire_views.hpp"
#include "hub/hub.hpp"

namespace plexus::arbor {

class Arbor : public hub::Activation {
public:
    // `root` resolves the handles of others.
    Arbor(Trees& trees, hub::Hub& root);

    // Cleans up now and then until it is cancelled; main starts it.
    hub::awaitable<void> run_cleanup_timer();

private:
    template <class T>
    using awaitable = hub::awaitable<T>;

    void add_tree_methods();
    awaitable<TreeCreated> tree_create(TreeCreateParams params);
    awaitable<std::string> tree_get(TreeGetParams params);
    awaitable<std::string> tree_get_skeleton(TreeGetParams params);
    awaitable<TreeList> tree_list(TreeListParams params);
    awaitable<TreesScheduled> tree_list_scheduled(PageParams params);
    awaitable<TreesArchived> tree_list_archived(PageParams params);
    awaitable<TreeUpdated> tree_update_metadata(TreeMetadataParams params);
    awaitable<TreeRefs> tree_get_refs(TreeParams params);

    void add_node_methods();
    awaitable<NodeCreated> node_create_text(TextNodeParams params);
    awaitable<NodeCreated> node_create_text_ephemeral(TextNodeParams params);
    awaitable<NodeCreated> node_create_external(ExternalNodeParams params);
    awaitable<NodeCreated> node_create_external_ephemeral(ExternalNodeParams params);
    awaitable<std::string> node_get(NodeGetParams params);
    awaitable<Children> node_get_children(ChildrenParams params);
    awaitable<Parent> node_get_parent(NodeParams params);
    awaitable<std::string> node_get_subtree(SubtreeParams params);
    awaitable<NodeUpdated> node_update(NodeUpdateParams params);
    awaitable<NodeMoved> node_move(NodeMoveParams params);
    awaitable<NodeDeleted> node_delete(NodeParams params);

    void add_context_methods();
    awaitable<std::string> node_get_path(PathParams params);
    awaitable<std::string> node_get_path_between(BetweenParams params);
    awaitable<ContextLeaves> context_list_leaves(LeavesParams params);
    awaitable<std::string> context_get_path(PathParams params);
    awaitable<std::string> context_get_handles(PathParams params);

    void add_lifecycle_methods();
    awaitable<TreeClaimed> tree_claim(TreeClaimParams params);
    awaitable<TreeReleased> tree_release(TreeClaimParams params);
    awaitable<TreeScheduled> tree_schedule_delete(TreeDeleteParams params);
    awaitable<TreeDeleted> tree_delete(TreeDeleteParams params);
    awaitable<NodeClaimed> node_claim(NodeClaimParams params);
    awaitable<NodeReleased> node_release(NodeClaimParams params);
    awaitable<NodeRefs> node_get_refs(NodeParams params);
    awaitable<NodeScheduled> node_schedule_delete(NodeParams params);
    awaitable<NodesScheduled> node_list_scheduled(LeavesParams params);
    awaitable<CleanedUp> cleanup(CleanupParams params);

    void add_view_methods();
    awaitable<ViewCreated> view_create(ViewParams params);
    awaitable<RangeAdded> view_add_range(AddRangeParams params);
    awaitable<RunsDetected> detect_text_runs(DetectParams params);
    awaitable<ViewCollapsed> view_collapse(CollapseParams params);
    awaitable<RangeContent> range_get(RangeParams params);
    awaitable<std::string> tree_render(RenderParams params);

    void add_search_methods();
    awaitable<Matches> tree_search(SearchParams params);
    awaitable<TreeList> tree_query_by_metadata(TreeQueryParams params);
    awaitable<NodeList> node_query_by_metadata(NodeQueryParams params);
    awaitable<CheckReport> check(CheckParams params);

    // A method that makes the JSON text of its Datum itself.
    template <class Datum, class Params>
    void text_method(std::string name, std::string about, awaitable<std::string> (Arbor::*call)(Params)) {
        auto made = hub::make_method(this, std::move(name), std::move(about), hub::Scope::read, call);
        made.returns = schema::json_schema<Datum>();
        made.run = [this, call](Json params, hub::Outlet& outlet) -> awaitable<void> {
            auto text = co_await (this->*call)(hub::decoded<Params>(std::move(params)));
            co_await outlet.send(std::move(text));
        };
        add(std::move(made));
    }

    awaitable<NodeCreated> create_node(TreeId tree, NewNode node);
    NewNode new_external(ExternalNodeParams params, bool ephemeral);
    awaitable<void> purge_marked();
    awaitable<void> check_handles(Key tree, TreeId id, CheckReport& report);
    hub::Storage& storage() { return trees_.storage(); }

    Trees& trees_;
    hub::Hub& root_;
};

}  // namespace plexus::arbor
