// Runs of text nodes, and views: trees that show another tree with its runs as one node each.
// Synchronous: for work inside one transaction.
#pragma once

#include "activations/arbor/outline.hpp"
#include "activations/arbor/wire_views.hpp"

namespace plexus::arbor {

// Ids made inside a transaction, the same ones again if it has to run again.
class RepeatableIds {
public:
    RepeatableIds(std::int64_t unix_ms, std::uint64_t seed) : unix_ms_(unix_ms), seed_(seed) {}
    NodeId next();

private:
    schema::UuidV7 ordered_;
    std::int64_t unix_ms_;
    std::uint64_t seed_;
};

// What a text node says: its content, or the `text` of a `content_text` event stored as such.
std::string text_of(std::string_view content);

// A run is a line of at least `least` text nodes below the root, none but the last with another child.
std::vector<TextRun> text_runs(hub::Transaction& transaction, const TreeRow& tree, std::int64_t least);

// Copies the source into the view, which must be new; how many runs became one node.
std::int64_t collapse_into(hub::Transaction& transaction, const TreeRow& source, TreeId view,
                           std::int64_t least, RepeatableIds ids, Seconds now);

// Throws `conflict` unless the end is below the start, or the same.
RangeShown show_range(hub::Transaction& transaction, const TreeRow& tree, NodeId start, NodeId end,
                      const CollapseType& how);
Json range_handle(TreeId tree, NodeId start, NodeId end, const CollapseType& how);

}  // namespace plexus::arbor
