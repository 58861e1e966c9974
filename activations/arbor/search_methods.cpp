#include "activations/arbor/answers.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/arbor/check_store.hpp"
#include "activations/arbor/failures.hpp"
#include "activations/arbor/node_lists.hpp"
#include "activations/arbor/search_sqlite.hpp"

#include <algorithm>

namespace plexus::arbor {

using hub::Effort;
using hub::Scope;
using hub::Transaction;

namespace {

constexpr std::int64_t handles_at_once = 500;
constexpr std::int64_t trees_at_once = 100;
constexpr std::size_t most_problems = 1000;

void require_object(const Json& metadata) {
    if (!metadata.is_object() || metadata.empty())
        throw invalid("metadata must be an object with members to look for");
}

}  // namespace

void Arbor::add_search_methods() {
    method("tree_search", "Find nodes by the words in them", Scope::read, &Arbor::tree_search);
    method("tree_query_by_metadata", "Find trees by their metadata", Scope::read,
           &Arbor::tree_query_by_metadata);
    method("node_query_by_metadata", "Find nodes of a tree by their metadata", Scope::read,
           &Arbor::node_query_by_metadata);
    method("check", "Look for dangling handles, orphans and broken paths", Scope::read, &Arbor::check);
}

Arbor::awaitable<Matches> Arbor::tree_search(SearchParams params) {
    const auto limit = page_size(params.limit, 1000);
    auto page = co_await storage().read(
        [&](Transaction& transaction) {
            std::optional<TreeRow> tree;
            if (params.tree_id) tree = TreeStore(transaction).get(*params.tree_id);
            if (tree && tree->state == State::archived) throw archived(tree->id);
            return search_text(transaction, params.query, tree, params.cursor.value_or(Cursor{}), limit);
        },
        Effort::large);
    Matches matches{{}, page.next};
    for (auto& item : page.items) matches.matches.push_back({item.tree, item.node, std::move(item.snippet)});
    co_return matches;
}

Arbor::awaitable<TreeList> Arbor::tree_query_by_metadata(TreeQueryParams params) {
    require_object(params.metadata);
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read(
        [&](Transaction& transaction) {
            return TreeStore(transaction)
                .with_metadata(params.metadata, params.cursor.value_or(Cursor{}), limit);
        },
        Effort::large);
    co_return TreeList{std::move(page.items), page.next};
}

Arbor::awaitable<NodeList> Arbor::node_query_by_metadata(NodeQueryParams params) {
    require_object(params.metadata);
    const auto limit = page_size(params.limit);
    auto page = co_await storage().read(
        [&](Transaction& transaction) {
            return with_metadata(transaction, TreeStore(transaction).get(params.tree_id), params.metadata,
                                 params.cursor.value_or(Cursor{}), limit);
        },
        Effort::large);
    co_return NodeList{params.tree_id, std::move(page.items), page.next};
}

Arbor::awaitable<CheckReport> Arbor::check(CheckParams params) {
    CheckReport report;
    for (Key last = 0;;) {
        const auto trees = co_await storage().read([&](Transaction& transaction) {
            if (params.tree_id) return std::vector{TreeStore(transaction).get(*params.tree_id)};
            return CheckStore(transaction).trees_after(last, trees_at_once);
        });
        for (const auto& tree : trees) {
            auto found = co_await storage().read(
                [&](Transaction& transaction) {
                    std::vector<Problem> problems;
                    const auto nodes = CheckStore(transaction).structure(tree, problems);
                    CheckStore(transaction).chains(tree, params.events, problems);
                    return std::pair(nodes, std::move(problems));
                },
                Effort::large);
            ++report.trees;
            report.nodes += found.first;
            std::ranges::move(found.second, std::back_inserter(report.problems));
            if (params.handles) co_await check_handles(tree.key, tree.id, report);
            last = tree.key;
        }
        if (params.tree_id || trees.empty()) break;
    }
    if (!params.tree_id) {
        auto strays = co_await storage().read(
            [](Transaction& transaction) {
                std::vector<Problem> problems;
                CheckStore(transaction).strays(problems);
                return problems;
            },
            Effort::large);
        std::ranges::move(strays, std::back_inserter(report.problems));
    }
    report.ok = report.problems.empty();
    report.truncated = report.problems.size() > most_problems;
    if (report.truncated) report.problems.resize(most_problems);
    co_return report;
}

Arbor::awaitable<void> Arbor::check_handles(Key tree, TreeId id, CheckReport& report) {
    for (Key last = 0; report.problems.size() <= most_problems;) {
        const auto some = co_await storage().read([&](Transaction& transaction) {
            return CheckStore(transaction).handles_after(tree, last, handles_at_once);
        });
        if (some.empty()) co_return;
        last = some.back().key;
        std::vector<hub::Handle> handles;
        for (const auto& checked : some) handles.push_back(checked.handle);
        const auto resolved = co_await root_.resolve_anywhere(std::move(handles));
        for (std::size_t i = 0; i < some.size(); ++i) {
            ++report.handles;
            if (resolved[i]) continue;
            const auto& error = resolved[i].error();
            report.problems.push_back(
                {error.reason, "Handle " + some[i].handle.text() + ": " + error.message, id, some[i].node});
        }
    }
}

}  // namespace plexus::arbor
