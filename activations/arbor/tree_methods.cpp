#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"

namespace plexus::arbor {

using hub::Effort;
using hub::Scope;
using hub::Transaction;

Arbor::Arbor(Trees& trees, hub::Hub& root)
    : Activation("arbor", "1.0.0", "Manage conversation trees with context tracking"),
      trees_(trees),
      root_(root) {
    tell_failures_as_data();
    add_tree_methods();
    add_node_methods();
    add_context_methods();
    add_lifecycle_methods();
    add_view_methods();
    add_search_methods();
}

void Arbor::add_tree_methods() {
    method("tree_create", "Create a tree with an empty text node as its root", Scope::chat,
           &Arbor::tree_create);
    text_method<TreeGot>("tree_get", "Get a tree with all its nodes; for large ones use node_get_subtree",
                         &Arbor::tree_get);
    text_method<SkeletonGot>("tree_get_skeleton", "Get the shape of a tree, without what its nodes hold",
                             &Arbor::tree_get_skeleton);
    method("tree_list", "List trees, oldest first", Scope::read, &Arbor::tree_list);
    method("tree_list_scheduled", "List trees that nobody holds any more", Scope::read,
           &Arbor::tree_list_scheduled);
    method("tree_list_archived", "List trees that will soon be gone", Scope::read,
           &Arbor::tree_list_archived);
    method("tree_update_metadata", "Replace the metadata of a tree", Scope::chat,
           &Arbor::tree_update_metadata);
    method("tree_get_refs", "Tell who holds a tree", Scope::read, &Arbor::tree_get_refs);
}

Arbor::awaitable<TreeCreated> Arbor::tree_create(TreeCreateParams params) {
    const NewTree tree{trees_.new_tree(), trees_.new_node(), std::move(params.owner_id),
                       std::move(params.metadata)};
    const auto now = trees_.now();
    co_await storage().write([&](Transaction& transaction) { TreeStore(transaction).create(tree, now); });
    co_return TreeCreated{tree.id};
}

Arbor::awaitable<std::string> Arbor::tree_get(TreeGetParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return tree_answer(transaction, params, limit); }, Effort::large);
}

Arbor::awaitable<std::string> Arbor::tree_get_skeleton(TreeGetParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return skeleton_answer(transaction, params, limit); }, Effort::large);
}

Arbor::awaitable<TreeList> Arbor::tree_list(TreeListParams params) {
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read([&](Transaction& transaction) {
        return TreeStore(transaction)
            .list(params.state, params.owner_id, params.cursor.value_or(Cursor{}), limit);
    });
    co_return TreeList{std::move(page.items), page.next};
}

Arbor::awaitable<TreesScheduled> Arbor::tree_list_scheduled(PageParams params) {
    auto list = co_await tree_list({State::scheduled_delete, {}, params.limit, params.cursor});
    co_return TreesScheduled{std::move(list.tree_ids), list.next_cursor};
}

Arbor::awaitable<TreesArchived> Arbor::tree_list_archived(PageParams params) {
    auto list = co_await tree_list({State::archived, {}, params.limit, params.cursor});
    co_return TreesArchived{std::move(list.tree_ids), list.next_cursor};
}

Arbor::awaitable<TreeUpdated> Arbor::tree_update_metadata(TreeMetadataParams params) {
    const auto now = trees_.now();
    co_await storage().write([&](Transaction& transaction) {
        TreeStore(transaction).set_metadata(params.tree_id, params.metadata, now);
    });
    co_return TreeUpdated{params.tree_id};
}

Arbor::awaitable<TreeRefs> Arbor::tree_get_refs(TreeParams params) {
    co_return co_await storage().read([&](Transaction& transaction) {
        TreeStore trees(transaction);
        const auto tree = trees.get(params.tree_id);
        return TreeRefs{tree.id, {tree.ref_count, trees.owners(tree.key)}};
    });
}

}  // namespace plexus::arbor
