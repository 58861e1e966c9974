// Parameters and results of views, renderings, searches and checks.
#pragma once

#include "activations/arbor/wire.hpp"

namespace plexus::arbor {

struct TextMerge {
    static constexpr std::string_view tag = "text_merge";
};
DESCRIBE_EMPTY(TextMerge)

struct StructureRef {
    static constexpr std::string_view tag = "structure_ref";
};
DESCRIBE_EMPTY(StructureRef)

struct Custom {
    static constexpr std::string_view tag = "custom";
    std::string strategy;
    std::optional<Json> metadata;
};
DESCRIBE(Custom, (strategy, "What the client makes of it"), (metadata, "Anything it needs for that"))

using CollapseType = std::variant<TextMerge, StructureRef, Custom>;

struct TextRun {
    NodeId start_node{}, end_node{};
    std::int64_t length = 0, char_count = 0;
};
DESCRIBE(TextRun, (start_node, "The first text node"), (end_node, "The last, below the first"),
         (length, "How many nodes"), (char_count, "How many characters in all"))

struct DetectParams {
    TreeId tree_id{};
    std::uint32_t min_length = 2;
};
DESCRIBE(DetectParams, (tree_id, "Of the tree"),
         (min_length, "Only runs of at least so many nodes", defaulted))

struct ViewParams {
    TreeId source_tree_id{};
    std::string owner_id = "default";
};
DESCRIBE(ViewParams, (source_tree_id, "Of the tree to look at"), (owner_id, "Who holds the view", defaulted))

struct CollapseParams {
    TreeId source_tree_id{};
    std::uint32_t min_length = 2;
    std::string owner_id = "default";
};
DESCRIBE(CollapseParams, (source_tree_id, "Of the tree to look at"),
         (min_length, "Only runs of at least so many nodes", defaulted),
         (owner_id, "Who holds the view", defaulted))

struct AddRangeParams {
    TreeId view_tree_id{};
    std::optional<NodeId> parent;
    NodeId start_node{}, end_node{};
    CollapseType collapse_type;
};
DESCRIBE(AddRangeParams, (view_tree_id, "Of the view"), (parent, "In the view; its root unless given"),
         (start_node, "In the source tree"), (end_node, "In the source tree, below the first or the same"),
         (collapse_type, "How the range is shown", defaulted))

struct RangeParams {
    TreeId tree_id{};
    NodeId start_node{}, end_node{};
    CollapseType collapse_type;
};
DESCRIBE(RangeParams, (tree_id, "Of the tree"), (start_node, "The first node"),
         (end_node, "The last, below the first or the same"),
         (collapse_type, "How the range is shown", defaulted))

struct RangeText {
    static constexpr std::string_view tag = "text";
    std::string content;
    std::int64_t node_count = 0;
    std::vector<NodeId> node_ids;
};
DESCRIBE(RangeText, (content, "The texts of the range, joined"), (node_count, "How many nodes"),
         (node_ids, "Which nodes, in order"))

struct RangeReference {
    static constexpr std::string_view tag = "reference";
    TreeId tree_id{};
    NodeId start_node{}, end_node{};
    std::int64_t node_count = 0;
};
DESCRIBE(RangeReference, (tree_id, "Of the tree"), (start_node, "The first node"), (end_node, "The last"),
         (node_count, "How many nodes"))

struct RangeCustom {
    static constexpr std::string_view tag = "custom";
    std::string strategy;
    std::int64_t node_count = 0;
    std::optional<Json> metadata;
};
DESCRIBE(RangeCustom, (strategy, "As asked for"), (node_count, "How many nodes"), (metadata, "As asked for"))

using RangeShown = std::variant<RangeText, RangeReference, RangeCustom>;

struct RunsDetected {
    static constexpr std::string_view tag = "text_runs_detected";
    TreeId tree_id{};
    std::vector<TextRun> runs;
};
DESCRIBE(RunsDetected, (tree_id, "Of the tree"), (runs, "In the order of the tree"))

struct ViewCreated {
    static constexpr std::string_view tag = "view_created";
    TreeId view_tree_id{}, source_tree_id{};
};
DESCRIBE(ViewCreated, (view_tree_id, "Of the new tree"), (source_tree_id, "Of the tree it looks at"))

struct RangeAdded {
    static constexpr std::string_view tag = "range_added";
    TreeId view_tree_id{};
    NodeId range_node_id{};
};
DESCRIBE(RangeAdded, (view_tree_id, "Of the view"),
         (range_node_id, "Of the new node that stands for the range"))

struct ViewCollapsed {
    static constexpr std::string_view tag = "view_collapsed";
    TreeId view_tree_id{}, source_tree_id{};
    std::int64_t collapsed_runs = 0;
};
DESCRIBE(ViewCollapsed, (view_tree_id, "Of the new tree"), (source_tree_id, "Of the tree it looks at"),
         (collapsed_runs, "How many runs became one node each"))

struct RangeContent {
    static constexpr std::string_view tag = "range_content";
    TreeId tree_id{};
    NodeId start_node{}, end_node{};
    RangeShown content;
};
DESCRIBE(RangeContent, (tree_id, "Of the tree"), (start_node, "The first node"), (end_node, "The last"),
         (content, "The range as asked for"))

struct RenderParams {
    TreeId tree_id{};
    std::optional<NodeId> node_id;
    bool include_ephemeral = false, resolve = true;
};
DESCRIBE(RenderParams, (tree_id, "Of the tree"), (node_id, "Only from this node down"),
         (include_ephemeral, "Also nodes on their way out", defaulted),
         (resolve, "Show what handles point at, not the handles", defaulted))

struct Rendered {
    static constexpr std::string_view tag = "tree_render";
    TreeId tree_id{};
    std::string render;
    std::int64_t node_count = 0;
    bool truncated = false;
};
DESCRIBE(Rendered, (tree_id, "Of the tree"), (render, "A line for each node"), (node_count, "How many nodes"),
         (truncated, "Not all of them are shown; the last line says how many are missing"))

struct SearchParams {
    std::string query;
    std::optional<TreeId> tree_id;
    std::uint32_t limit = 50;
    std::optional<Cursor> cursor;
};
DESCRIBE(SearchParams, (query, "Words that must all occur; `word*` also finds longer ones"),
         (tree_id, "Only in this tree"), (limit, "At most so many", defaulted),
         (cursor, "next_cursor of the page before"))

struct Match {
    TreeId tree_id{};
    NodeId node_id{};
    std::string snippet;
};
DESCRIBE(Match, (tree_id, "Of the tree"), (node_id, "Of the node"), (snippet, "The text around the words"))

struct Matches {
    static constexpr std::string_view tag = "search_results";
    std::vector<Match> matches;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(Matches, (matches, "Best first"), (next_cursor, "Absent when there are no more"))

struct TreeQueryParams {
    Json metadata;
    std::uint32_t limit = 1000;
    std::optional<Cursor> cursor;
};
DESCRIBE(TreeQueryParams, (metadata, "What the tree's metadata must contain"),
         (limit, "At most so many", defaulted), (cursor, "next_cursor of the page before"))

struct NodeQueryParams {
    TreeId tree_id{};
    Json metadata;
    std::uint32_t limit = 1000;
    std::optional<Cursor> cursor;
};
DESCRIBE(NodeQueryParams, (tree_id, "Of the tree"), (metadata, "What the node's metadata must contain"),
         (limit, "At most so many", defaulted), (cursor, "next_cursor of the page before"))

struct NodeList {
    static constexpr std::string_view tag = "node_list";
    TreeId tree_id{};
    std::vector<NodeId> node_ids;
    std::optional<Cursor> next_cursor;
};
DESCRIBE(NodeList, (tree_id, "Of the tree"), (node_ids, "Oldest first"),
         (next_cursor, "Absent when there are no more"))

struct CheckParams {
    std::optional<TreeId> tree_id;
    bool handles = true, events = false;
};
DESCRIBE(CheckParams, (tree_id, "Only this tree"), (handles, "Resolve every handle", defaulted),
         (events, "Read every event and compare its checksum", defaulted))

struct Problem {
    std::string kind;
    std::string message;
    TreeId tree_id{};
    std::optional<NodeId> node_id;
};
DESCRIBE(Problem,
         (kind, "orphan, depth, run, state, refs, chain, corrupt_event, or why a handle did not resolve"),
         (message, "A sentence"), (tree_id, "Where"), (node_id, "Which node"))

struct CheckReport {
    static constexpr std::string_view tag = "check_report";
    bool ok = true;
    std::int64_t trees = 0, nodes = 0, handles = 0;
    std::vector<Problem> problems;
    bool truncated = false;
};
DESCRIBE(CheckReport, (ok, "Nothing was found"), (trees, "How many were looked at"),
         (nodes, "How many were looked at"), (handles, "How many were resolved"),
         (problems, "What was found"), (truncated, "There are more problems than listed"))

}  // namespace plexus::arbor

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::arbor::CollapseType> = "CollapseType";
template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::arbor::RangeShown> = "ResolvedRange";
