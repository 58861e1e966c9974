// The nodes of a branch one after the other, each before its children; a walk can go on where another
// stopped. Synchronous: for work inside one transaction.
#pragma once

#include "activations/arbor/node_store.hpp"

namespace plexus::arbor {

class Walk {
public:
    Walk(hub::Transaction& transaction, NodeRow top, bool all, std::int64_t levels)
        : sql_(transaction), top_(std::move(top)), all_(all), deepest_(top_.depth + levels) {}

    // The one behind `node`, which must be below the top or be it.
    std::optional<NodeRow> next(NodeRow node);

private:
    std::optional<NodeRow> first_below(Key parent, std::int64_t position);

    hub::Transaction& sql_;
    NodeRow top_;
    bool all_;
    std::int64_t deepest_;
};

}  // namespace plexus::arbor
