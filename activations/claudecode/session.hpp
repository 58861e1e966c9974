// A session: a name for a place in a tree, and how the CLI is to be run there.
#pragma once

#include "activations/claudecode/events.hpp"
#include "schema/uuid.hpp"

#include <optional>

namespace plexus::claudecode {

using schema::Uuid;

enum class PermissionMode { default_, acceptEdits, plan, bypassPermissions, dontAsk };
DESCRIBE_ENUM(PermissionMode, default_, acceptEdits, plan, bypassPermissions, dontAsk)

// What a session fixes about its CLI process. Stored as JSON: a new setting needs no migration.
struct Settings {
    std::optional<std::string> system_prompt, append_system_prompt;
    std::optional<Json> mcp_config;
    PermissionMode permission_mode = PermissionMode::default_;
    std::vector<std::string> allowed_tools, disallowed_tools;
    std::optional<std::uint32_t> max_turns;
    std::optional<double> max_budget_usd;
    std::optional<std::string> config_dir;
    bool loopback_enabled = false;
    std::optional<std::string> loopback_session_id;
    bool operator==(const Settings&) const = default;
};
DESCRIBE(Settings, (system_prompt, "In place of the CLI's own"),
         (append_system_prompt, "After the CLI's own"), (mcp_config, "MCP servers, as the CLI takes them"),
         (permission_mode, "How tools are allowed", defaulted),
         (allowed_tools, "Never asked about", defaulted), (disallowed_tools, "Never allowed", defaulted),
         (max_turns, "API round trips per chat"), (max_budget_usd, "Dollars per process"),
         (config_dir, "CLAUDE_CONFIG_DIR of this session"),
         (loopback_enabled, "Tools that need it are put to people", defaulted),
         (loopback_session_id, "The name approvals of this session go by"))

struct Session {
    Uuid id{};
    std::string name;
    Uuid tree{}, head{};
    std::optional<std::string> claude_session_id;
    std::optional<Uuid> cli_head;  // where the CLI's own session stands; elsewhere than `head` after a rewind
    std::string working_dir, model;
    Settings settings;
    std::optional<Json> metadata;
    std::optional<Uuid> forked_from;
    std::int64_t created_at = 0, updated_at = 0;

    Position position() const { return {schema::to_text(tree), schema::to_text(head)}; }
};

enum class StreamStatus { queued, running, awaiting_approval, complete, failed, interrupted, cancelled };
DESCRIBE_ENUM(StreamStatus, queued, running, awaiting_approval, complete, failed, interrupted, cancelled)

constexpr bool is_open(StreamStatus status) {
    return status == StreamStatus::queued || status == StreamStatus::running ||
           status == StreamStatus::awaiting_approval;
}

// One chat, from the moment it was asked for.
struct ChatStream {
    Uuid id{}, session{}, tree{};
    std::int64_t number = 0;
    std::optional<Uuid> root_node;
    StreamStatus status = StreamStatus::queued;
    std::string prompt, prompt_uuid;  // prompt: JSON text
    bool ephemeral = false;
    std::int64_t started_at = 0;
    std::optional<std::int64_t> ended_at;
    std::optional<std::string> error;
};

}  // namespace plexus::claudecode
