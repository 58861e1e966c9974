// Parameters and results of the methods on nodes and paths.
#pragma once

#include "activations/arbor/wire.hpp"

namespace plexus::arbor {

struct TextNodeParams {
    TreeId tree_id{};
    std::optional<NodeId> parent;
    std::string content;
    std::optional<Json> metadata;
    std::optional<NodeId> after;
};
DESCRIBE(TextNodeParams, (tree_id, "Of the tree"), (parent, "The root unless given"), (content, "The text"),
         (metadata, "Anything worth noting"),
         (after, "Sibling to stand right behind; behind all unless given"))

struct ExternalNodeParams {
    TreeId tree_id{};
    std::optional<NodeId> parent;
    hub::Handle handle;
    std::optional<Json> metadata;
    std::optional<NodeId> after;
};
DESCRIBE(ExternalNodeParams, (tree_id, "Of the tree"), (parent, "The root unless given"),
         (handle, "Points at what its owner stores"), (metadata, "Anything worth noting"),
         (after, "Sibling to stand right behind; behind all unless given"))

struct NodeGetParams {
    TreeId tree_id{};
    NodeId node_id{};
    bool include_ephemeral = false;
};
DESCRIBE(NodeGetParams, (tree_id, "Of the tree"), (node_id, "Of the node or event"),
         (include_ephemeral, "Also children on their way out", defaulted))

struct ChildrenParams {
    TreeId tree_id{};
    NodeId node_id{};
    bool include_ephemeral = false;
    std::uint32_t limit = 10'000;
    std::optional<Cursor> cursor;
};
DESCRIBE(ChildrenParams, (tree_id, "Of the tree"), (node_id, "Of the node or event"),
         (include_ephemeral, "Also children on their way out", defaulted),
         (limit, "At most so many", defaulted), (cursor, "next_cursor of the page before"))

struct SubtreeParams {
    TreeId tree_id{};
    NodeId node_id{};
    bool include_ephemeral = false;
    std::optional<std::uint32_t> max_depth;
    std::uint32_t limit = 1000;
    std::optional<NodeId> cursor;
};
DESCRIBE(SubtreeParams, (tree_id, "Of the tree"), (node_id, "The top"),
         (include_ephemeral, "Also nodes on their way out", defaulted),
         (max_depth, "So many levels below the top; all unless given"), (limit, "At most so many", defaulted),
         (cursor, "next_cursor of the page before"))

struct PathParams {
    TreeId tree_id{};
    NodeId node_id{};
    std::optional<std::uint32_t> limit;
    std::optional<Cursor> cursor;
};
DESCRIBE(PathParams, (tree_id, "Of the tree"), (node_id, "Where the path ends: a node or an event"),
         (limit, "At most so many nodes; all unless given"), (cursor, "next_cursor of the page before"))

struct BetweenParams {
    TreeId tree_id{};
    NodeId from{}, to{};
};
DESCRIBE(BetweenParams, (tree_id, "Of the tree"), (from, "Where the path begins"), (to, "Where it ends"))

struct LeavesParams {
    TreeId tree_id{};
    std::uint32_t limit = 10'000;
    std::optional<Cursor> cursor;
};
DESCRIBE(LeavesParams, (tree_id, "Of the tree"), (limit, "At most so many", defaulted),
         (cursor, "next_cursor of the page before"))

struct NodeUpdateParams {
    TreeId tree_id{};
    NodeId node_id{};
    std::optional<std::string> content;
    std::optional<Json> metadata;
};
DESCRIBE(NodeUpdateParams, (tree_id, "Of the tree"), (node_id, "Of the node"),
         (content, "The new text of a text node"), (metadata, "Replaces what was noted"))

struct NodeMoveParams {
    TreeId tree_id{};
    NodeId node_id{}, parent{};
    std::optional<NodeId> after;
};
DESCRIBE(NodeMoveParams, (tree_id, "Of the tree"), (node_id, "Moves with all below it"),
         (parent, "Its new parent"), (after, "Sibling to stand right behind; behind all unless given"))

struct NodeClaimParams {
    TreeId tree_id{};
    NodeId node_id{};
    std::string owner_id = "default";
    std::int64_t count = 1;
};
DESCRIBE(NodeClaimParams, (tree_id, "Of the tree"), (node_id, "Of the node"),
         (owner_id, "Who holds it", defaulted), (count, "How many references", defaulted))

struct NodeCreated {
    static constexpr std::string_view tag = "node_created";
    TreeId tree_id{};
    NodeId node_id{};
    std::optional<NodeId> parent;
};
DESCRIBE(NodeCreated, (tree_id, "Of the tree"), (node_id, "Of the new node"),
         (parent, "What it hangs under", nullable))

struct NodeGot {
    static constexpr std::string_view tag = "node_data";
    TreeId tree_id{};
    Node node;
};
DESCRIBE(NodeGot, (tree_id, "Of the tree"), (node, "The node"))

struct Children {
    static constexpr std::string_view tag = "node_children";
    TreeId tree_id{};
    NodeId node_id{};
    std::vector<NodeId> children;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(Children, (tree_id, "Of the tree"), (node_id, "Of the node"),
         (children, "In order; the first event of a stream stands behind them"),
         (next_cursor, "Absent when there are no more"))

struct Parent {
    static constexpr std::string_view tag = "node_parent";
    TreeId tree_id{};
    NodeId node_id{};
    std::optional<NodeId> parent;
};
DESCRIBE(Parent, (tree_id, "Of the tree"), (node_id, "Of the node"), (parent, "null for the root", nullable))

struct Subtree {
    static constexpr std::string_view tag = "node_subtree";
    TreeId tree_id{};
    NodeId node_id{};
    std::vector<Node> nodes;
    std::optional<NodeId> next_cursor;
};
DESCRIBE(Subtree, (tree_id, "Of the tree"), (node_id, "The top"),
         (nodes, "Each before its children, children in order"),
         (next_cursor, "Absent when there are no more"))

struct ContextPath {
    static constexpr std::string_view tag = "context_path";
    TreeId tree_id{};
    std::vector<NodeId> path;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(ContextPath, (tree_id, "Of the tree"), (path, "Ids, in order"),
         (next_cursor, "Absent when there are no more"))

struct ContextPathData {
    static constexpr std::string_view tag = "context_path_data";
    TreeId tree_id{};
    std::vector<Node> nodes;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(ContextPathData, (tree_id, "Of the tree"), (nodes, "Root first"),
         (next_cursor, "Absent when there are no more"))

struct ContextHandles {
    static constexpr std::string_view tag = "context_handles";
    TreeId tree_id{};
    std::vector<hub::Handle> handles;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(ContextHandles, (tree_id, "Of the tree"), (handles, "Of the external nodes on the path, root first"),
         (next_cursor, "Absent when there are no more"))

struct ContextLeaves {
    static constexpr std::string_view tag = "context_leaves";
    TreeId tree_id{};
    std::vector<NodeId> leaves;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(ContextLeaves, (tree_id, "Of the tree"), (leaves, "Nodes without children, oldest first"),
         (next_cursor, "Absent when there are no more"))

struct NodeUpdated {
    static constexpr std::string_view tag = "node_updated";
    NodeId old_id{}, new_id{};
};
DESCRIBE(NodeUpdated, (old_id, "Of the node"), (new_id, "The same: nodes keep their ids"))

struct NodeMoved {
    static constexpr std::string_view tag = "node_moved";
    TreeId tree_id{};
    NodeId node_id{}, parent{};
};
DESCRIBE(NodeMoved, (tree_id, "Of the tree"), (node_id, "Of the node"), (parent, "Its new parent"))

struct NodeDeleted {
    static constexpr std::string_view tag = "node_deleted";
    TreeId tree_id{};
    NodeId node_id{};
    std::int64_t deleted = 0;
};
DESCRIBE(NodeDeleted, (tree_id, "Of the tree"), (node_id, "Of the node"),
         (deleted, "How many nodes are gone, with those below it"))

struct NodeClaimed {
    static constexpr std::string_view tag = "node_claimed";
    TreeId tree_id{};
    NodeId node_id{};
    std::string owner_id;
    std::int64_t new_count = 0;
};
DESCRIBE(NodeClaimed, (tree_id, "Of the tree"), (node_id, "Of the node"), (owner_id, "Who holds it"),
         (new_count, "References this owner has now"))

struct NodeReleased {
    static constexpr std::string_view tag = "node_released";
    TreeId tree_id{};
    NodeId node_id{};
    std::string owner_id;
    std::int64_t new_count = 0;
};
DESCRIBE(NodeReleased, (tree_id, "Of the tree"), (node_id, "Of the node"), (owner_id, "Who let go"),
         (new_count, "References this owner has now"))

struct NodeScheduled {
    static constexpr std::string_view tag = "node_scheduled_deletion";
    TreeId tree_id{};
    NodeId node_id{};
    Seconds scheduled_at = 0;
};
DESCRIBE(NodeScheduled, (tree_id, "Of the tree"), (node_id, "Goes with all below it"),
         (scheduled_at, "Unix seconds"))

struct NodeRefs {
    static constexpr std::string_view tag = "node_refs";
    TreeId tree_id{};
    NodeId node_id{};
    Refs refs;
};
DESCRIBE(NodeRefs, (tree_id, "Of the tree"), (node_id, "Of the node"), (refs, "Who holds it"))

struct NodesScheduled {
    static constexpr std::string_view tag = "nodes_scheduled";
    TreeId tree_id{};
    std::vector<NodeId> node_ids;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(NodesScheduled, (tree_id, "Of the tree"), (node_ids, "Nodes on their way out, oldest first"),
         (next_cursor, "Absent when there are no more"))

}  // namespace plexus::arbor
