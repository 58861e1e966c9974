#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/cleanup_store.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/node_lists.hpp"
#include "hub/log.hpp"

#include <algorithm>

namespace plexus::arbor {

using hub::Effort;
using hub::Scope;
using hub::Transaction;

namespace {

constexpr std::int64_t rows_at_once = 2000;  // purged in one transaction: others want to write too

std::int64_t reference_count(std::int64_t count) {
    if (count < 1 || count > 1'000'000'000) throw invalid("count must be from 1 to 1000000000");
    return count;
}

// Nobody is robbed of a tree, unless the caller says so.
TreeRow removable_tree(Transaction& transaction, const TreeDeleteParams& asked,
                       const std::vector<NodeId>& heads) {
    auto tree = TreeStore(transaction).get(asked.tree_id);
    if (tree.ref_count > 0 && !asked.force)
        throw schema::Failure(schema::failed("conflict",
                                             "Tree " + to_text(tree.id) + " is claimed " +
                                                 std::to_string(tree.ref_count) +
                                                 " times: release it, or use force",
                                             {{"tree_id", to_text(tree.id)}, {"ref_count", tree.ref_count}}));
    CleanupStore(transaction, heads).require_headless(tree);
    return tree;
}

}  // namespace

void Arbor::add_lifecycle_methods() {
    method("tree_claim", "Hold a tree; one that was scheduled for deletion stays", Scope::chat,
           &Arbor::tree_claim);
    method("tree_release", "Let go of a tree; without any holder it is scheduled for deletion", Scope::chat,
           &Arbor::tree_release);
    method("tree_schedule_delete", "Schedule a tree for deletion", Scope::chat, &Arbor::tree_schedule_delete);
    method("tree_delete", "Delete a tree at once", Scope::admin, &Arbor::tree_delete);
    method("node_claim", "Hold a node: an ephemeral one stays, with all below it and the way to it",
           Scope::chat, &Arbor::node_claim);
    method("node_release", "Let go of a node; an ephemeral one is then on its way out again", Scope::chat,
           &Arbor::node_release);
    method("node_get_refs", "Tell who holds a node", Scope::read, &Arbor::node_get_refs);
    method("node_schedule_delete", "Schedule a node and all below it for deletion", Scope::chat,
           &Arbor::node_schedule_delete);
    method("node_list_scheduled", "List nodes on their way out", Scope::read, &Arbor::node_list_scheduled);
    method("cleanup", "Archive and purge what has been scheduled long enough", Scope::admin, &Arbor::cleanup);
}

Arbor::awaitable<TreeClaimed> Arbor::tree_claim(TreeClaimParams params) {
    const auto count = reference_count(params.count);
    const auto now = trees_.now();
    const auto total = co_await storage().write([&](Transaction& transaction) {
        return TreeStore(transaction).claim(params.tree_id, params.owner_id, count, now);
    });
    co_return TreeClaimed{params.tree_id, std::move(params.owner_id), total};
}

Arbor::awaitable<TreeReleased> Arbor::tree_release(TreeClaimParams params) {
    const auto count = reference_count(params.count);
    const auto now = trees_.now();
    const auto total = co_await storage().write([&](Transaction& transaction) {
        return TreeStore(transaction).release(params.tree_id, params.owner_id, count, now);
    });
    co_return TreeReleased{params.tree_id, std::move(params.owner_id), total};
}

Arbor::awaitable<TreeScheduled> Arbor::tree_schedule_delete(TreeDeleteParams params) {
    const auto now = trees_.now();
    const auto when = co_await storage().write([&](Transaction& transaction) {
        const auto tree = removable_tree(transaction, params, trees_.heads(transaction));
        if (tree.state == State::archived) throw archived(tree.id);
        if (tree.state == State::scheduled_delete) return *tree.scheduled_at;
        TreeStore(transaction).schedule(tree, now);
        return now;
    });
    co_return TreeScheduled{params.tree_id, when};
}

Arbor::awaitable<TreeDeleted> Arbor::tree_delete(TreeDeleteParams params) {
    co_await storage().write([&](Transaction& transaction) {
        const auto heads = trees_.heads(transaction);
        CleanupStore(transaction, heads).purge(removable_tree(transaction, params, heads));
    });
    co_await purge_marked();
    co_return TreeDeleted{params.tree_id};
}

Arbor::awaitable<NodeClaimed> Arbor::node_claim(NodeClaimParams params) {
    const auto count = reference_count(params.count);
    const auto now = trees_.now();
    const auto total = co_await storage().write([&](Transaction& transaction) {
        const auto tree = TreeStore(transaction).get_writable(params.tree_id);
        const auto node = NodeStore(transaction).get(tree, params.node_id);
        return BranchStore(transaction).claim(node, params.owner_id, count, now);
    });
    co_return NodeClaimed{params.tree_id, params.node_id, std::move(params.owner_id), total};
}

Arbor::awaitable<NodeReleased> Arbor::node_release(NodeClaimParams params) {
    const auto count = reference_count(params.count);
    const auto now = trees_.now();
    const auto total = co_await storage().write([&](Transaction& transaction) {
        const auto node =
            NodeStore(transaction).get(TreeStore(transaction).get(params.tree_id), params.node_id);
        return BranchStore(transaction).release(node, params.owner_id, count, now);
    });
    co_return NodeReleased{params.tree_id, params.node_id, std::move(params.owner_id), total};
}

Arbor::awaitable<NodeRefs> Arbor::node_get_refs(NodeParams params) {
    co_return co_await storage().read([&](Transaction& transaction) {
        NodeStore nodes(transaction);
        const auto node = nodes.get(TreeStore(transaction).get(params.tree_id), params.node_id);
        return NodeRefs{params.tree_id, node.id, {node.ref_count, nodes.owners(node)}};
    });
}

Arbor::awaitable<NodeScheduled> Arbor::node_schedule_delete(NodeParams params) {
    const auto now = trees_.now();
    const auto when = co_await storage().write([&](Transaction& transaction) {
        BranchStore branches(transaction);
        NodeStore nodes(transaction);
        const auto tree = TreeStore(transaction).get_writable(params.tree_id);
        const auto node = nodes.get(tree, params.node_id);
        branches.require_removable(node, trees_.heads(transaction));
        branches.schedule(node, now);
        TreeStore(transaction).touch(tree.key, now);
        return nodes.by_key(node.key).scheduled_at.value_or(now);
    });
    co_return NodeScheduled{params.tree_id, params.node_id, when};
}

Arbor::awaitable<NodesScheduled> Arbor::node_list_scheduled(LeavesParams params) {
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read([&](Transaction& transaction) {
        return scheduled(transaction, TreeStore(transaction).get(params.tree_id),
                         params.cursor.value_or(Cursor{}), limit);
    });
    co_return NodesScheduled{params.tree_id, std::move(page.items), page.next};
}

Arbor::awaitable<CleanedUp> Arbor::cleanup(CleanupParams params) {
    const auto now = trees_.now();
    const auto& settings = trees_.settings();
    const Deadlines deadlines{now, now - settings.archive_after.count(), now - settings.purge_after.count()};
    const auto plan = co_await storage().read(
        [&](Transaction& transaction) {
            return CleanupStore(transaction, trees_.heads(transaction)).plan(deadlines);
        },
        Effort::large);
    CleanedUp report{params.dry_run,
                     plan.archive_trees,
                     plan.purge_trees,
                     std::ssize(plan.archive_nodes),
                     std::ssize(plan.purge_nodes),
                     plan.kept};
    if (params.dry_run) co_return report;

    co_await storage().write([&](Transaction& transaction) {
        CleanupStore store(transaction, trees_.heads(transaction));
        store.archive(plan, deadlines);
        store.start_purge(plan.purge_trees, deadlines);
    });
    report.nodes_purged = 0;
    for (std::span<const Key> left = plan.purge_nodes; !left.empty();) {
        const auto some = left.first(std::min<std::size_t>(left.size(), rows_at_once));
        left = left.subspan(some.size());
        const auto removed = co_await storage().write([&](Transaction& transaction) {
            return CleanupStore(transaction, trees_.heads(transaction)).purge_nodes(some, deadlines);
        });
        trees_.streams().forget(removed.chains);
        report.nodes_purged += removed.nodes;
    }
    co_await purge_marked();
    co_return report;
}

// Large trees go in pieces. One that was not finished, because the daemon stopped, is finished the next time.
Arbor::awaitable<void> Arbor::purge_marked() {
    for (;;) {
        const auto removed = co_await storage().write(
            [](Transaction& transaction) { return CleanupStore(transaction, {}).purge_some(rows_at_once); });
        if (!removed) co_return;
        trees_.streams().forget(removed->chains);
    }
}

Arbor::awaitable<void> Arbor::run_cleanup_timer() {
    const auto once = [this]() -> awaitable<void> {
        const auto done = co_await cleanup({});
        const auto trees = done.trees_archived.size() + done.trees_purged.size();
        if (trees + static_cast<std::size_t>(done.nodes_archived + done.nodes_purged) > 0)
            hub::log::info("cleaned up", {{"trees_archived", done.trees_archived.size()},
                                          {"trees_purged", done.trees_purged.size()},
                                          {"nodes_archived", done.nodes_archived},
                                          {"nodes_purged", done.nodes_purged}});
    };
    for (;;) {
        const auto outcome = co_await hub::guarded(once());
        if (!outcome) hub::log::warn("cleanup failed", {{"reason", outcome.error().message}});
        co_await trees_.clock().sleep(trees_.settings().cleanup_every);
    }
}

}  // namespace plexus::arbor
