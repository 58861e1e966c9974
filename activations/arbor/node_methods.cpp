#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/utf8.hpp"

namespace plexus::arbor {

using hub::Scope;
using hub::Transaction;

namespace {

schema::Failure bad_handle(std::string problem, const hub::Handle& handle) {
    return schema::Failure(
        {schema::Code::invalid_params,
         "invalid_handle",
         "Invalid params: " + std::move(problem) + ": " + std::string(cut(handle.text(), 200)),
         {{"plugin_id", to_text(handle.plugin)}, {"version", handle.version}}});
}

// What the oldest form of a handle carried belongs on the node; what the caller says wins.
std::optional<Json> joined(std::optional<Json> given, const Json& from_handle) {
    if (from_handle.is_null()) return given;
    if (!given) return from_handle;
    if (!given->is_object() || !from_handle.is_object()) return given;
    auto both = from_handle;
    both.update(*given);
    return both;
}

}  // namespace

void Arbor::add_node_methods() {
    method("node_create_text", "Create a node that holds text", Scope::chat, &Arbor::node_create_text);
    method("node_create_text_ephemeral",
           "Create a text node that goes after a while unless somebody claims it", Scope::chat,
           &Arbor::node_create_text_ephemeral);
    method("node_create_external", "Create a node that points at what another activation stores", Scope::chat,
           &Arbor::node_create_external);
    method("node_create_external_ephemeral",
           "Create an external node that goes after a while unless somebody claims it", Scope::chat,
           &Arbor::node_create_external_ephemeral);
    text_method<NodeGot>("node_get", "Get a node", &Arbor::node_get);
    method("node_get_children", "List the children of a node, in order", Scope::read,
           &Arbor::node_get_children);
    method("node_get_parent", "Tell the parent of a node", Scope::read, &Arbor::node_get_parent);
    text_method<Subtree>("node_get_subtree", "Get a node and all below it, in pages",
                         &Arbor::node_get_subtree);
    method("node_update", "Change the text or the metadata of a node", Scope::chat, &Arbor::node_update);
    method("node_move", "Hang a node and all below it under another parent", Scope::chat, &Arbor::node_move);
    method("node_delete", "Delete a node and all below it, at once", Scope::chat, &Arbor::node_delete);
}

Arbor::awaitable<NodeCreated> Arbor::create_node(TreeId tree, NewNode node) {
    const auto now = trees_.now();
    const auto parent = co_await storage().write(
        [&](Transaction& transaction) { return NodeStore(transaction).create(tree, node, now); });
    co_return NodeCreated{tree, node.id, parent};
}

Arbor::awaitable<NodeCreated> Arbor::node_create_text(TextNodeParams params) {
    return create_node(params.tree_id, {trees_.new_node(), params.parent, std::move(params.content),
                                        std::move(params.metadata), false, false, params.after, ""});
}

Arbor::awaitable<NodeCreated> Arbor::node_create_text_ephemeral(TextNodeParams params) {
    return create_node(params.tree_id, {trees_.new_node(), params.parent, std::move(params.content),
                                        std::move(params.metadata), true, false, params.after, ""});
}

// Handles are checked when they are stored: later nobody could tell what was meant.
NewNode Arbor::new_external(ExternalNodeParams params, bool ephemeral) {
    auto& handle = params.handle;
    if (handle.method.empty()) throw bad_handle("the handle names no kind of data", handle);
    const auto* owner = root_.find_owner(handle.plugin);
    if (!owner) throw bad_handle("nobody here owns the handle's plugin, in that major version", handle);
    if (hub::plugin_id(owner->name(), handle.version) != handle.plugin)
        throw bad_handle(
            "the handle's version is not of the plugin it names, " + owner->name() + " " + owner->version(),
            handle);
    auto metadata = joined(std::move(params.metadata), handle.metadata);
    return {trees_.new_node(), params.parent, std::move(handle), std::move(metadata),
            ephemeral,         false,         params.after,      ""};
}

Arbor::awaitable<NodeCreated> Arbor::node_create_external(ExternalNodeParams params) {
    const auto tree = params.tree_id;
    co_return co_await create_node(tree, new_external(std::move(params), false));
}

Arbor::awaitable<NodeCreated> Arbor::node_create_external_ephemeral(ExternalNodeParams params) {
    const auto tree = params.tree_id;
    co_return co_await create_node(tree, new_external(std::move(params), true));
}

Arbor::awaitable<std::string> Arbor::node_get(NodeGetParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return node_answer(transaction, params, limit); });
}

Arbor::awaitable<Children> Arbor::node_get_children(ChildrenParams params) {
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read([&](Transaction& transaction) {
        NodeStore nodes(transaction);
        const auto found = nodes.find(TreeStore(transaction).get(params.tree_id), params.node_id);
        return nodes.children(found, params.include_ephemeral, params.cursor.value_or(Cursor{}), limit);
    });
    co_return Children{params.tree_id, params.node_id, std::move(page.items), page.next};
}

Arbor::awaitable<Parent> Arbor::node_get_parent(NodeParams params) {
    const auto parent = co_await storage().read([&](Transaction& transaction) {
        NodeStore nodes(transaction);
        return nodes.parent_of(nodes.find(TreeStore(transaction).get(params.tree_id), params.node_id));
    });
    co_return Parent{params.tree_id, params.node_id, parent};
}

Arbor::awaitable<std::string> Arbor::node_get_subtree(SubtreeParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return subtree_answer(transaction, params, limit); });
}

Arbor::awaitable<NodeUpdated> Arbor::node_update(NodeUpdateParams params) {
    if (!params.content && !params.metadata) throw invalid("give content, metadata or both");
    const auto now = trees_.now();
    co_await storage().write([&](Transaction& transaction) {
        NodeStore nodes(transaction);
        const auto tree = TreeStore(transaction).get_writable(params.tree_id);
        const auto node = nodes.get(tree, params.node_id);
        if (params.content && node.kind == Kind::external)
            throw conflict(
                "Node " + to_text(node.id) + " is external: what it points at is its owner's to change",
                node.id);
        nodes.update(node, params.content, params.metadata);
        TreeStore(transaction).touch(tree.key, now);
    });
    co_return NodeUpdated{params.node_id, params.node_id};
}

Arbor::awaitable<NodeMoved> Arbor::node_move(NodeMoveParams params) {
    const auto now = trees_.now();
    co_await storage().write([&](Transaction& transaction) {
        const auto tree = TreeStore(transaction).get_writable(params.tree_id);
        const auto node = NodeStore(transaction).get(tree, params.node_id);
        BranchStore(transaction).move(tree, node, params.parent, params.after, now);
        TreeStore(transaction).touch(tree.key, now);
    });
    co_return NodeMoved{params.tree_id, params.node_id, params.parent};
}

Arbor::awaitable<NodeDeleted> Arbor::node_delete(NodeParams params) {
    const auto now = trees_.now();
    const auto removed = co_await storage().write([&](Transaction& transaction) {
        BranchStore branches(transaction);
        const auto tree = TreeStore(transaction).get_writable(params.tree_id);
        const auto node = NodeStore(transaction).get(tree, params.node_id);
        branches.require_removable(node, trees_.heads(transaction));
        TreeStore(transaction).touch(tree.key, now);
        return branches.remove(node);
    });
    trees_.streams().forget(removed.chains);
    co_return NodeDeleted{params.tree_id, params.node_id, removed.nodes};
}

}  // namespace plexus::arbor
