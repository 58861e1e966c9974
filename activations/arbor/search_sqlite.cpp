#include "activations/arbor/search_sqlite.hpp"

#include "activations/arbor/failures.hpp"

namespace plexus::arbor {

namespace {

#define MATCHES                                                                             \
    "SELECT trees.id, nodes.id, snippet(node_search, 0, '', '', '…', 16) FROM node_search " \
    "JOIN nodes ON nodes.key = node_search.rowid JOIN trees ON trees.key = nodes.tree "     \
    "WHERE node_search MATCH $1 AND nodes.state = 0 AND trees.state < 2 "
const hub::Statement everywhere{"search_everywhere",
                                MATCHES "ORDER BY node_search.rank, nodes.key LIMIT $2 OFFSET $3"};
const hub::Statement in_tree{
    "search_tree", MATCHES "AND nodes.tree = $4 ORDER BY node_search.rank, nodes.key LIMIT $2 OFFSET $3"};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Words are quoted, so that nothing a person types is an operator.
std::string expression(std::string_view query) {
    std::string text;
    while (!query.empty()) {
        if (is_space(query.front())) {
            query.remove_prefix(1);
            continue;
        }
        std::size_t length = 0;
        while (length < query.size() && !is_space(query[length])) ++length;
        auto word = query.substr(0, length);
        query.remove_prefix(length);
        const bool prefix = word.size() > 1 && word.ends_with('*');
        if (prefix) word.remove_suffix(1);
        text += text.empty() ? "\"" : " \"";
        for (const char c : word) {
            if (c == '\0') continue;  // would end the expression
            text += c == '"' ? "\"\"" : std::string(1, c);
        }
        text += prefix ? "\"*" : "\"";
    }
    return text;
}

}  // namespace

Page<TextMatch> search_text(hub::Transaction& transaction, const std::string& query,
                            const std::optional<TreeRow>& tree, Cursor from, std::int64_t limit) {
    const auto words = expression(query);
    if (words.empty()) throw invalid("query must have at least one word");
    Page<TextMatch> page;
    auto rows = tree ? transaction.query(in_tree, words, limit + 1, from.at, tree->key)
                     : transaction.query(everywhere, words, limit + 1, from.at);
    for (const auto& row : rows) {
        if (std::ssize(page.items) == limit) {
            page.next = Cursor{from.at + limit};
            break;
        }
        page.items.push_back({row.get<TreeId>(0), row.get<NodeId>(1), row.get<std::string>(2)});
    }
    return page;
}

}  // namespace plexus::arbor
