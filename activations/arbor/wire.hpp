// Nodes and trees as clients see them. Names and fields are those public clients know.
#pragma once

#include "activations/arbor/rows.hpp"
#include "hub/method.hpp"

#include <map>

namespace plexus::arbor {

struct TextData {
    static constexpr std::string_view tag = "text";
    std::string content;
};
DESCRIBE(TextData, (content, "The text itself"))

struct ExternalData {
    static constexpr std::string_view tag = "external";
    hub::Handle handle;
};
DESCRIBE(ExternalData, (handle, "Points at what its owner stores"))

using NodeData = std::variant<TextData, ExternalData>;

struct Refs {
    std::int64_t ref_count = 0;
    std::map<std::string, std::int64_t> owners;
};
DESCRIBE(Refs, (ref_count, "How many hold it; for a node, its tree counts as one unless it is ephemeral"),
         (owners, "Who claimed it how often"))

struct Node {
    NodeId id{};
    std::optional<NodeId> parent;
    std::vector<NodeId> children;
    NodeData data;
    State state = State::active;
    Refs refs;
    std::optional<Seconds> scheduled_deletion_at, archived_at;
    Seconds created_at = 0;
    std::optional<Json> metadata;
};
DESCRIBE(Node, (id, "Of the node"), (parent, "null for the root", nullable),
         (children, "In order; ephemeral ones only when asked for"), (data, "What it holds"),
         (state, "active, scheduled_delete or archived"), (refs, "Who holds it"),
         (scheduled_deletion_at, "Unix seconds"), (archived_at, "Unix seconds"), (created_at, "Unix seconds"),
         (metadata, "Whatever its maker noted"))

struct Tree {
    TreeId id{};
    NodeId root{};
    std::map<std::string, Node> nodes;
    State state = State::active;
    Refs refs;
    std::optional<Seconds> scheduled_deletion_at, archived_at;
    Seconds created_at = 0, updated_at = 0;
    std::optional<Json> metadata;
};
DESCRIBE(Tree, (id, "Of the tree"), (root, "Its first node"), (nodes, "All its nodes, by id"),
         (state, "active, scheduled_delete or archived"), (refs, "Who holds it"),
         (scheduled_deletion_at, "Unix seconds"), (archived_at, "Unix seconds"), (created_at, "Unix seconds"),
         (updated_at, "Unix seconds: the last change of the tree or of a node in it"),
         (metadata, "Whatever its maker noted"))

struct SkeletonNode {
    NodeId id{};
    std::optional<NodeId> parent;
    std::vector<NodeId> children;
    Kind node_type = Kind::text;
};
DESCRIBE(SkeletonNode, (id, "Of the node"), (parent, "null for the root", nullable), (children, "In order"),
         (node_type, "text or external"))

struct TreeSkeleton {
    TreeId id{};
    NodeId root{};
    std::map<std::string, SkeletonNode> nodes;
    State state = State::active;
};
DESCRIBE(TreeSkeleton, (id, "Of the tree"), (root, "Its first node"), (nodes, "All its nodes, by id"),
         (state, "active, scheduled_delete or archived"))

struct TreeParams {
    TreeId tree_id{};
};
DESCRIBE(TreeParams, (tree_id, "Of the tree"))

struct NodeParams {
    TreeId tree_id{};
    NodeId node_id{};
};
DESCRIBE(NodeParams, (tree_id, "Of the tree"), (node_id, "Of the node"))

}  // namespace plexus::arbor

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::arbor::NodeData> = "NodeType";
