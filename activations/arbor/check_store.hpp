// Looks for what cannot be: nodes that hang nowhere, runs that are none, references nobody has.
// Synchronous: for work inside one transaction.
#pragma once

#include "activations/arbor/paths.hpp"
#include "activations/arbor/wire_views.hpp"

namespace plexus::arbor {

struct CheckedHandle {
    Key key = 0;
    NodeId node{};
    hub::Handle handle;
};

class CheckStore {
public:
    explicit CheckStore(hub::Transaction& transaction) : sql_(transaction) {}

    // How many nodes were looked at.
    std::int64_t structure(const TreeRow& tree, std::vector<Problem>& problems);
    void chains(const TreeRow& tree, bool read_events, std::vector<Problem>& problems);
    // Nodes and chains of no tree at all.
    void strays(std::vector<Problem>& problems);
    // The next external nodes of the tree behind a key.
    std::vector<CheckedHandle> handles_after(Key tree, Key after, std::int64_t limit);
    std::vector<TreeRow> trees_after(Key after, std::int64_t limit);

private:
    hub::Transaction& sql_;
};

}  // namespace plexus::arbor
