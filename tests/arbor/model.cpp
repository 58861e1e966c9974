#include "tests/arbor/model.hpp"

#include <algorithm>

namespace plexus::tests {

using arbor::State;

namespace {

constexpr std::int64_t one_day = 86400;

}  // namespace

int ModelNode::claimed() const {
    int sum = 0;
    for (const auto& [owner, count] : claims) sum += count;
    return sum;
}

std::vector<std::size_t> Model::path(std::size_t node) const {
    std::vector<std::size_t> path{node};
    while (nodes_[path.back()].parent) path.push_back(*nodes_[path.back()].parent);
    std::ranges::reverse(path);
    return path;
}

std::vector<std::size_t> Model::branch(std::size_t top) const {
    std::vector<std::size_t> all{top};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const auto child : nodes_[all[i]].children) all.push_back(child);
    return all;
}

bool Model::below(std::size_t node, std::size_t top) const {
    const auto line = path(node);
    return std::ranges::find(line, top) != line.end();
}

bool Model::create(std::size_t parent, bool ephemeral, std::optional<std::size_t> after, std::int64_t now) {
    if (nodes_[parent].state == State::archived) return false;
    if (after && nodes_[*after].parent != parent) return false;
    ModelNode node;
    node.parent = parent;
    node.ephemeral = ephemeral || nodes_[parent].ephemeral;
    auto& siblings = nodes_[parent].children;
    auto place = siblings.end();
    if (after) place = std::ranges::find(siblings, *after) + 1;
    siblings.insert(place, nodes_.size());
    nodes_.push_back(node);
    settle(now);
    return true;
}

void Model::detach(std::size_t node) { std::erase(nodes_[*nodes_[node].parent].children, node); }

bool Model::move(std::size_t node, std::size_t parent, std::int64_t now) {
    if (node == 0 || below(parent, node)) return false;
    if (nodes_[parent].ephemeral && !nodes_[node].ephemeral) return false;
    detach(node);
    nodes_[node].parent = parent;
    nodes_[parent].children.push_back(node);
    settle(now);
    return true;
}

bool Model::removable(std::size_t top) const {
    if (top == 0) return false;
    return std::ranges::none_of(branch(top),
                                [&](auto n) { return nodes_[n].claimed() > 0 || heads.contains(n); });
}

bool Model::remove(std::size_t node) {
    if (!removable(node)) return false;
    for (const auto n : branch(node)) nodes_[n].gone = true;
    detach(node);
    return true;
}

bool Model::schedule(std::size_t node, std::int64_t now) {
    if (!removable(node)) return false;
    if (nodes_[node].ephemeral && held(node)) return false;
    for (const auto n : branch(node)) nodes_[n].ephemeral = true;
    settle(now);
    return true;
}

bool Model::claim(std::size_t node, const std::string& owner, std::int64_t now) {
    if (nodes_[node].state == State::archived) return false;
    ++nodes_[node].claims[owner];
    settle(now);
    return true;
}

bool Model::release(std::size_t node, const std::string& owner, std::int64_t now) {
    if (nodes_[node].claims[owner] == 0) return false;
    --nodes_[node].claims[owner];
    settle(now);
    return true;
}

bool Model::held(std::size_t node) const {
    if (std::ranges::any_of(branch(node), [&](auto n) { return nodes_[n].claimed() > 0; })) return true;
    for (auto n = node; nodes_[n].ephemeral; n = *nodes_[n].parent)
        if (nodes_[n].claimed() > 0) return true;
    return false;
}

void Model::settle(std::int64_t now) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        auto& node = nodes_[i];
        if (node.gone || !node.ephemeral) continue;
        const bool lives = held(i);
        if (lives) node.state = State::active;
        else if (node.state == State::active) {
            node.state = State::scheduled_delete;
            node.scheduled_at = now;
        }
    }
}

std::size_t Model::ephemeral_top(std::size_t node) const {
    while (nodes_[node].ephemeral && nodes_[*nodes_[node].parent].ephemeral) node = *nodes_[node].parent;
    return node;
}

bool Model::needed(std::size_t node) const {
    return std::ranges::any_of(heads, [&](auto head) {
        return nodes_[head].ephemeral && ephemeral_top(head) == ephemeral_top(node);
    });
}

void Model::cleanup(std::int64_t now) {
    const auto doomed = [&](std::size_t i) {
        const auto& node = nodes_[i];
        return !node.gone && node.state == State::archived && node.archived_at + 30 * one_day <= now &&
               !needed(i);
    };
    std::vector<std::size_t> archive, purge;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const auto& node = nodes_[i];
        if (node.gone) continue;
        if (node.state == State::scheduled_delete && node.scheduled_at + 7 * one_day <= now && !needed(i))
            archive.push_back(i);
        if (std::ranges::all_of(branch(i), doomed)) purge.push_back(i);
    }
    for (const auto i : archive) {
        nodes_[i].state = State::archived;
        nodes_[i].archived_at = now;
    }
    for (const auto i : purge) nodes_[i].gone = true;
    for (auto& node : nodes_) std::erase_if(node.children, [&](auto child) { return nodes_[child].gone; });
}

}  // namespace plexus::tests
