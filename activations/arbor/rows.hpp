// Rows of arbor's tables as values. Filled and used on storage threads.
#pragma once

#include "activations/arbor/ids.hpp"
#include "hub/handle.hpp"
#include "hub/sql.hpp"

#include <optional>
#include <string>

namespace plexus::arbor {

using Key = std::int64_t;
using Seconds = std::int64_t;

enum class State { active, scheduled_delete, archived };
DESCRIBE_ENUM(State, active, scheduled_delete, archived)

enum class Kind { text, external };
DESCRIBE_ENUM(Kind, text, external)

struct TreeRow {
    Key key = 0;
    TreeId id{};
    Key root = 0;
    std::int64_t ref_count = 0;
    State state = State::active;
    std::optional<Seconds> scheduled_at, archived_at;
    Seconds created_at = 0, updated_at = 0;
    std::optional<std::string> metadata;  // JSON text
};

// Where a node stands and how it is doing.
struct NodeRow {
    Key key = 0;
    NodeId id{};
    Key tree = 0;
    std::optional<Key> parent;
    std::int64_t position = 0, depth = 0;
    std::optional<Key> segment;
    Kind kind = Kind::text;
    State state = State::active;
    std::int64_t ref_count = 0;
    bool ephemeral = false;
    std::optional<Seconds> scheduled_at, archived_at;
    Seconds created_at = 0;
};

// What a node holds, as views into a row or into a StoredNode.
struct NodeContent {
    hub::Blob plugin;
    std::string_view version, method, meta;  // meta: a JSON array, or empty
    std::optional<std::string_view> metadata;
    std::string_view content;
};

// A node with all it holds.
struct StoredNode : NodeRow {
    std::string content;
    hub::Handle handle;
    std::optional<std::string> metadata;  // JSON text

    void take(const NodeContent& held);
};

TreeRow read_tree(const hub::Row& row);
NodeRow read_node(const hub::Row& row);
NodeContent read_content(const hub::Row& row, Kind kind);  // valid as long as the row
StoredNode read_stored(const hub::Row& row);
hub::Handle handle_of(const NodeContent& content);

}  // namespace plexus::arbor
