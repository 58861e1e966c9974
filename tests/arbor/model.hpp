// What arbor's nodes ought to be: the rules of data-model §4 in the plainest way, for property tests.
#pragma once

#include "tests/arbor/world.hpp"

#include <set>

namespace plexus::tests {

struct ModelNode {
    std::optional<std::size_t> parent;
    std::vector<std::size_t> children;
    bool ephemeral = false, gone = false;
    std::map<std::string, int> claims;
    arbor::State state = arbor::State::active;
    std::int64_t scheduled_at = 0, archived_at = 0;
    int events = 0;

    int claimed() const;
};

// Nodes are known by the order they were made in; 0 is the root.
class Model {
public:
    Model() : nodes_(1) {}

    std::size_t size() const { return nodes_.size(); }
    const ModelNode& operator[](std::size_t node) const { return nodes_[node]; }
    ModelNode& at(std::size_t node) { return nodes_[node]; }
    std::vector<std::size_t> path(std::size_t node) const;
    std::vector<std::size_t> branch(std::size_t top) const;  // with all below it
    bool below(std::size_t node, std::size_t top) const;     // or the same

    // Each says whether arbor should agree to it.
    bool create(std::size_t parent, bool ephemeral, std::optional<std::size_t> after, std::int64_t now);
    bool move(std::size_t node, std::size_t parent, std::int64_t now);
    bool remove(std::size_t node);
    bool schedule(std::size_t node, std::int64_t now);
    bool claim(std::size_t node, const std::string& owner, std::int64_t now);
    bool release(std::size_t node, const std::string& owner, std::int64_t now);
    void cleanup(std::int64_t now);

    std::set<std::size_t> heads;

private:
    bool removable(std::size_t top) const;
    bool held(std::size_t node) const;
    std::size_t ephemeral_top(std::size_t node) const;
    bool needed(std::size_t node) const;
    void settle(std::int64_t now);
    void detach(std::size_t node);

    std::vector<ModelNode> nodes_;
};

}  // namespace plexus::tests
