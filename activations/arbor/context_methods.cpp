#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/node_lists.hpp"

namespace plexus::arbor {

using hub::Scope;
using hub::Transaction;

void Arbor::add_context_methods() {
    text_method<ContextPath>("node_get_path", "List the ids from the root to a node", &Arbor::node_get_path);
    text_method<ContextPath>("node_get_path_between", "List the ids on the way from one node to another",
                             &Arbor::node_get_path_between);
    method("context_list_leaves", "List the nodes without children", Scope::read,
           &Arbor::context_list_leaves);
    text_method<ContextPathData>("context_get_path", "Get the nodes from the root to a node",
                                 &Arbor::context_get_path);
    text_method<ContextHandles>("context_get_handles", "Get the handles on the path from the root to a node",
                                &Arbor::context_get_handles);
}

Arbor::awaitable<std::string> Arbor::node_get_path(PathParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return path_answer(transaction, params, limit); });
}

Arbor::awaitable<std::string> Arbor::node_get_path_between(BetweenParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return between_answer(transaction, params, limit); });
}

Arbor::awaitable<ContextLeaves> Arbor::context_list_leaves(LeavesParams params) {
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read([&](Transaction& transaction) {
        return leaves(transaction, TreeStore(transaction).get(params.tree_id),
                      params.cursor.value_or(Cursor{}), limit);
    });
    co_return ContextLeaves{params.tree_id, std::move(page.items), page.next};
}

Arbor::awaitable<std::string> Arbor::context_get_path(PathParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return path_data_answer(transaction, params, limit); });
}

Arbor::awaitable<std::string> Arbor::context_get_handles(PathParams params) {
    const auto limit = trees_.settings().answer_bytes;
    co_return co_await storage().read(
        [&](Transaction& transaction) { return handles_answer(transaction, params, limit); });
}

}  // namespace plexus::arbor
