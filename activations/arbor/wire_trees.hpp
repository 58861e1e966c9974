// Parameters and results of the methods on whole trees.
#pragma once

#include "activations/arbor/wire.hpp"

namespace plexus::arbor {

struct TreeCreateParams {
    std::optional<Json> metadata;
    std::string owner_id = "default";
};
DESCRIBE(TreeCreateParams, (metadata, "Anything worth noting"), (owner_id, "Who holds the tree", defaulted))

struct TreeGetParams {
    TreeId tree_id{};
    bool include_ephemeral = false, include_events = false;
};
DESCRIBE(TreeGetParams, (tree_id, "Of the tree"),
         (include_ephemeral, "Also nodes on their way out", defaulted),
         (include_events, "Also the events of its streams, each a node", defaulted))

struct TreeListParams {
    State state = State::active;
    std::optional<std::string> owner_id;
    std::uint32_t limit = 10'000;
    std::optional<Cursor> cursor;
};
DESCRIBE(TreeListParams, (state, "Only trees in this state", defaulted),
         (owner_id, "Only trees held by this owner"), (limit, "At most so many", defaulted),
         (cursor, "next_cursor of the page before"))

struct PageParams {
    std::uint32_t limit = 10'000;
    std::optional<Cursor> cursor;
};
DESCRIBE(PageParams, (limit, "At most so many", defaulted), (cursor, "next_cursor of the page before"))

struct TreeMetadataParams {
    TreeId tree_id{};
    Json metadata;
};
DESCRIBE(TreeMetadataParams, (tree_id, "Of the tree"), (metadata, "Replaces what was noted"))

struct TreeClaimParams {
    TreeId tree_id{};
    std::string owner_id = "default";
    std::int64_t count = 1;
};
DESCRIBE(TreeClaimParams, (tree_id, "Of the tree"), (owner_id, "Who holds it", defaulted),
         (count, "How many references", defaulted))

struct TreeDeleteParams {
    TreeId tree_id{};
    bool force = false;
};
DESCRIBE(TreeDeleteParams, (tree_id, "Of the tree"), (force, "Even if it is claimed", defaulted))

struct TreeCreated {
    static constexpr std::string_view tag = "tree_created";
    TreeId tree_id{};
};
DESCRIBE(TreeCreated, (tree_id, "Of the new tree"))

struct TreeGot {
    static constexpr std::string_view tag = "tree_data";
    Tree tree;
};
DESCRIBE(TreeGot, (tree, "The whole tree"))

struct SkeletonGot {
    static constexpr std::string_view tag = "tree_skeleton";
    TreeSkeleton skeleton;
};
DESCRIBE(SkeletonGot, (skeleton, "The tree without what its nodes hold"))

struct TreeList {
    static constexpr std::string_view tag = "tree_list";
    std::vector<TreeId> tree_ids;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(TreeList, (tree_ids, "Oldest first"), (next_cursor, "Absent when there are no more"))

struct TreesScheduled {
    static constexpr std::string_view tag = "trees_scheduled";
    std::vector<TreeId> tree_ids;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(TreesScheduled, (tree_ids, "Oldest first"), (next_cursor, "Absent when there are no more"))

struct TreesArchived {
    static constexpr std::string_view tag = "trees_archived";
    std::vector<TreeId> tree_ids;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(TreesArchived, (tree_ids, "Oldest first"), (next_cursor, "Absent when there are no more"))

struct TreeUpdated {
    static constexpr std::string_view tag = "tree_updated";
    TreeId tree_id{};
};
DESCRIBE(TreeUpdated, (tree_id, "Of the tree"))

struct TreeClaimed {
    static constexpr std::string_view tag = "tree_claimed";
    TreeId tree_id{};
    std::string owner_id;
    std::int64_t new_count = 0;
};
DESCRIBE(TreeClaimed, (tree_id, "Of the tree"), (owner_id, "Who holds it"),
         (new_count, "References this owner has now"))

struct TreeReleased {
    static constexpr std::string_view tag = "tree_released";
    TreeId tree_id{};
    std::string owner_id;
    std::int64_t new_count = 0;
};
DESCRIBE(TreeReleased, (tree_id, "Of the tree"), (owner_id, "Who let go"),
         (new_count, "References this owner has now"))

struct TreeDeleted {
    static constexpr std::string_view tag = "tree_deleted";
    TreeId tree_id{};
};
DESCRIBE(TreeDeleted, (tree_id, "Of the tree that is gone"))

struct TreeScheduled {
    static constexpr std::string_view tag = "tree_scheduled_deletion";
    TreeId tree_id{};
    Seconds scheduled_at = 0;
};
DESCRIBE(TreeScheduled, (tree_id, "Of the tree"), (scheduled_at, "Unix seconds"))

struct TreeRefs {
    static constexpr std::string_view tag = "tree_refs";
    TreeId tree_id{};
    Refs refs;
};
DESCRIBE(TreeRefs, (tree_id, "Of the tree"), (refs, "Who holds it"))

struct CleanupParams {
    bool dry_run = false;
};
DESCRIBE(CleanupParams, (dry_run, "Only tell what would be done", defaulted))

struct CleanedUp {
    static constexpr std::string_view tag = "cleanup_report";
    bool dry_run = false;
    std::vector<TreeId> trees_archived, trees_purged;
    std::int64_t nodes_archived = 0, nodes_purged = 0, kept = 0;
};
DESCRIBE(CleanedUp, (dry_run, "Nothing was done"), (trees_archived, "Scheduled long enough"),
         (trees_purged, "Archived long enough: gone"),
         (nodes_archived, "How many nodes, apart from whole trees"),
         (nodes_purged, "How many nodes, apart from whole trees"),
         (kept, "Trees and nodes whose time was up, but that the head of a session needs"))

}  // namespace plexus::arbor
