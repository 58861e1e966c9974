// Paths from the root, as runs. Synchronous: for work inside one transaction.
//
// A run (a row of `segments`) is a line of nodes with consecutive depths, each the child of the one before,
// so that a whole run is one range of an index. Nodes start without a run. When a node gets its first child
// that goes on below it, it takes its place: behind its parent if the parent is the end of its run, else at
// the beginning of a new one. So the run follows whichever sibling the tree grew on, a straight conversation
// is one run however many messages each turn had, and a path costs one range scan for each branch it came by.
#pragma once

#include "activations/arbor/node_store.hpp"

namespace plexus::arbor {

// A part of a path whose nodes can be read together; depths low to high, both included.
struct Span {
    enum class Of { run, node, chain } of = Of::node;
    Key key = 0;  // of the segment, the node or the chain
    std::int64_t low = 0, high = 0;
};

// Root first, without gaps: the node at depth d is the d-th of the path.
struct Line {
    std::vector<Span> spans;
    std::int64_t depth() const { return spans.back().high; }
};

class Paths {
public:
    explicit Paths(hub::Transaction& transaction) : sql_(transaction) {}

    Line to(const Found& found);
    Line to(NodeRow node);

    // The nodes at these depths, both included.
    std::vector<NodeId> ids(const Line& line, std::int64_t from, std::int64_t to);
    using Visitor = std::function<void(const NodeRow& node, const NodeContent& content)>;
    void visit(const Line& line, std::int64_t from, std::int64_t to, const Visitor& visitor);
    std::vector<StoredNode> load(const Line& line);
    // The active children of those nodes, each with the depth of its parent, in order; a stream's first event
    // last.
    std::vector<std::pair<std::int64_t, NodeId>> children(const Line& line, std::int64_t from,
                                                          std::int64_t to);
    // The depth down to which two paths are the same.
    std::int64_t common_depth(const Line& a, const Line& b);

    // The node is about to have a child that goes on below it.
    void join_run(const NodeRow& node);
    // The node is about to be cut off with all below it: what is below in its run becomes a run of its own,
    // under the given parent.
    void split_run(const NodeRow& node, Key parent);
    // Forgets a run that has no node any more.
    void drop_if_empty(Key run);

private:
    Key new_run(Key tree, std::optional<Key> parent);
    void visit_events(const Span& span, std::int64_t from, std::int64_t to, const Visitor& visitor);

    hub::Transaction& sql_;
};

}  // namespace plexus::arbor
