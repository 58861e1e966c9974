// Full-text search in SQLite's own dialect (FTS5): the one part of arbor that another engine says
// differently. The index is kept by triggers, next to the tables it belongs to.
#pragma once

#include "activations/arbor/tree_store.hpp"

namespace plexus::arbor {

struct TextMatch {
    TreeId tree{};
    NodeId node{};
    std::string snippet;
};

// Best first. Every word must occur; a word that ends in `*` stands for all that begin like it. Throws
// invalid_params when there is no word.
Page<TextMatch> search_text(hub::Transaction& transaction, const std::string& query,
                            const std::optional<TreeRow>& tree, Cursor from, std::int64_t limit);

}  // namespace plexus::arbor
