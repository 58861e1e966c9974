// The shape of a whole tree or branch, in memory: for answers that need all of it at once.
#pragma once

#include "activations/arbor/branch_store.hpp"

namespace plexus::arbor {

// Entries in preorder, each followed by its `size - 1` descendants; so the order says everything.
struct Outline {
    struct Entry {
        Key key = 0;
        NodeId id{};
        std::size_t parent = 0;  // the first entry is its own
        std::size_t size = 1;    // with all below it
        std::int64_t depth = 0;  // below the first entry
        Kind kind = Kind::text;
    };
    std::vector<Entry> entries;

    std::size_t end(std::size_t i) const { return i + entries[i].size; }
    // for (auto child = first_child(i); child != end(i); child = end(child))
    std::size_t first_child(std::size_t i) const { return i + 1; }
    bool is_last_child(std::size_t i) const { return i == 0 || end(i) == end(entries[i].parent); }
    std::vector<NodeId> children(std::size_t i) const;
    std::optional<std::size_t> find(Key key) const;
    std::size_t place_of(Key key) const;  // throws `corrupt` when it is not there
    void index();

private:
    std::vector<std::pair<Key, std::size_t>> places_;
};

// Without nodes on their way out unless `all`.
Outline outline_of(hub::Transaction& transaction, const TreeRow& tree, bool all);
Outline outline_of(hub::Transaction& transaction, const NodeRow& top, bool all);

}  // namespace plexus::arbor
