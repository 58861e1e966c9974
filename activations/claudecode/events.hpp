// ChatEvent: what a running turn tells its readers, on the wire and on disk (one text is both).
// Pure values. The accumulator makes them without positions; the mirror, which knows the node ids,
// fills those in with set_position() before the event is stored.
#pragma once

#include "activations/claudecode/usage.hpp"
#include "schema/codec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace plexus::claudecode {

using schema::Json;

struct Position {
    std::string tree_id;
    std::string node_id;
    bool operator==(const Position&) const = default;
};
DESCRIBE(Position, (tree_id, "The tree"), (node_id, "The node in it"))

// Why a turn did not end in an answer.
enum class ErrorKind {
    auth,
    rate_limited,
    overloaded,
    credit,
    max_turns,
    budget,
    refusal,
    context_too_long,
    interrupted,
    cancelled,
    crashed,
    empty,
    spawn,
    protocol,
    storage,
};
DESCRIBE_ENUM(ErrorKind, auth, rate_limited, overloaded, credit, max_turns, budget, refusal, context_too_long,
              interrupted, cancelled, crashed, empty, spawn, protocol, storage)

struct StartEvent {
    static constexpr std::string_view tag = "start";
    std::string id;
    std::string stream_id;
    Position turn_position;
    std::optional<Position> user_position;
    bool operator==(const StartEvent&) const = default;
};
DESCRIBE(StartEvent, (id, "The session"), (stream_id, "The stream this event belongs to"),
         (turn_position, "The turn's node"),
         (user_position, "The prompt's node; absent when the CLI began the turn by itself"))

struct UserMessageEvent {
    static constexpr std::string_view tag = "user_message";
    Position position;
    std::optional<std::string> uuid;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const UserMessageEvent&) const = default;
};
DESCRIBE(UserMessageEvent, (position, "The message's node"), (uuid, "Its uuid in the CLI's transcript"),
         (parent_tool_use_id, "The call whose sub-agent was told this"))

// A block that was streamed but never committed (cut, retried, interrupted) ends with `abandoned`
// and no position: what its deltas said was taken back.
struct ThinkingStartEvent {
    static constexpr std::string_view tag = "thinking_start";
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ThinkingStartEvent&) const = default;
};
DESCRIBE(ThinkingStartEvent, (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ThinkingDeltaEvent {
    static constexpr std::string_view tag = "thinking_delta";
    std::string text;
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ThinkingDeltaEvent&) const = default;
};
DESCRIBE(ThinkingDeltaEvent, (text, "More of the thinking"),
         (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ThinkingEndEvent {
    static constexpr std::string_view tag = "thinking_end";
    std::optional<Position> position;
    std::int64_t block_index = 0;
    std::optional<bool> abandoned;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ThinkingEndEvent&) const = default;
};
DESCRIBE(ThinkingEndEvent, (position, "The block's node"), (block_index, "Index of the block in its message"),
         (abandoned, "Taken back; there is no node"), (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ContentStartEvent {
    static constexpr std::string_view tag = "content_start";
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ContentStartEvent&) const = default;
};
DESCRIBE(ContentStartEvent, (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ContentDeltaEvent {
    static constexpr std::string_view tag = "content_delta";
    std::string text;
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ContentDeltaEvent&) const = default;
};
DESCRIBE(ContentDeltaEvent, (text, "More of the text"), (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ContentEndEvent {
    static constexpr std::string_view tag = "content_end";
    std::optional<Position> position;
    std::int64_t block_index = 0;
    std::optional<bool> abandoned;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ContentEndEvent&) const = default;
};
DESCRIBE(ContentEndEvent, (position, "The block's node"), (block_index, "Index of the block in its message"),
         (abandoned, "Taken back; there is no node"), (parent_tool_use_id, "The call whose sub-agent speaks"))

struct ToolUseStartEvent {
    static constexpr std::string_view tag = "tool_use_start";
    std::string tool_use_id;
    std::string tool_name;
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ToolUseStartEvent&) const = default;
};
DESCRIBE(ToolUseStartEvent, (tool_use_id, "The call"), (tool_name, "The tool called"),
         (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent makes this one"))

struct ToolUseDeltaEvent {
    static constexpr std::string_view tag = "tool_use_delta";
    std::string partial_json;
    std::int64_t block_index = 0;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ToolUseDeltaEvent&) const = default;
};
DESCRIBE(ToolUseDeltaEvent, (partial_json, "More of the input's JSON text"),
         (block_index, "Index of the block in its message"),
         (parent_tool_use_id, "The call whose sub-agent makes this one"))

struct ToolUseEndEvent {
    static constexpr std::string_view tag = "tool_use_end";
    std::optional<Position> position;
    std::string tool_use_id;
    std::string tool_name;
    Json input;
    std::int64_t block_index = 0;
    std::optional<bool> abandoned;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ToolUseEndEvent&) const = default;
};
DESCRIBE(ToolUseEndEvent, (position, "The call's node"), (tool_use_id, "The call"),
         (tool_name, "The tool called"), (input, "Its input, complete; null when abandoned", defaulted),
         (block_index, "Index of the block in its message"), (abandoned, "Taken back; there is no node"),
         (parent_tool_use_id, "The call whose sub-agent makes this one"))

struct ToolResultEvent {
    static constexpr std::string_view tag = "tool_result";
    std::string tool_use_id;
    std::string output;
    bool is_error = false;
    Position position;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const ToolResultEvent&) const = default;
};
DESCRIBE(ToolResultEvent, (tool_use_id, "The call answered"),
         (output, "The text of the result; the node has all of it"), (is_error, "The tool failed"),
         (position, "The result's node"), (parent_tool_use_id, "The call whose sub-agent gets this result"))

struct AssistantMessageEvent {
    static constexpr std::string_view tag = "assistant_message";
    Position position;
    std::string message_id;
    std::optional<std::string> stop_reason;
    std::optional<std::string> parent_tool_use_id;
    bool operator==(const AssistantMessageEvent&) const = default;
};
DESCRIBE(AssistantMessageEvent, (position, "The message's node"), (message_id, "The API's id of it"),
         (stop_reason, "Why the model stopped, when known"),
         (parent_tool_use_id, "The call whose sub-agent speaks"))

struct AwaitingApprovalEvent {
    static constexpr std::string_view tag = "awaiting_approval";
    std::string approval_id;
    std::string tool_name;
    std::string tool_use_id;
    Json input;
    bool operator==(const AwaitingApprovalEvent&) const = default;
};
DESCRIBE(AwaitingApprovalEvent, (approval_id, "What to answer"), (tool_name, "The tool that wants to run"),
         (tool_use_id, "The call"), (input, "Its input"))

struct ApprovalResolvedEvent {
    static constexpr std::string_view tag = "approval_resolved";
    std::string approval_id;
    bool approved = false;
    std::optional<std::string> message;
    bool operator==(const ApprovalResolvedEvent&) const = default;
};
DESCRIBE(ApprovalResolvedEvent, (approval_id, "The approval"), (approved, "Whether the tool may run"),
         (message, "What was said with it"))

struct StatusEvent {
    static constexpr std::string_view tag = "status";
    std::string status;
    Json data;
    bool operator==(const StatusEvent&) const = default;
};
DESCRIBE(StatusEvent, (status, "retry, compacting, rate_limit, requesting, init, or the CLI's own word"),
         (data, "What the CLI said about it"))

struct CompleteEvent {
    static constexpr std::string_view tag = "complete";
    Position new_head;
    std::string claude_session_id;
    ChatUsage usage;
    bool operator==(const CompleteEvent&) const = default;
};
DESCRIBE(CompleteEvent, (new_head, "The session's new head"),
         (claude_session_id, "The CLI's name for the session"), (usage, "What the turn used"))

struct PassthroughEvent {
    static constexpr std::string_view tag = "passthrough";
    std::string event_type;
    std::string handle;
    Json data;
    bool operator==(const PassthroughEvent&) const = default;
};
DESCRIBE(PassthroughEvent, (event_type, "The type of what came"), (handle, "The handle of its node"),
         (data, "What the CLI printed, verbatim"))

struct ErrorEvent {
    static constexpr std::string_view tag = "error";
    std::string message;
    ErrorKind kind = ErrorKind::protocol;
    std::optional<std::int64_t> resets_at;
    std::optional<std::int64_t> api_status;
    std::optional<std::int64_t> exit;
    std::optional<std::int64_t> signal;
    std::optional<std::string> stderr_tail;
    std::optional<Position> new_head;
    std::optional<std::string> claude_session_id;
    std::optional<ChatUsage> usage;
    bool operator==(const ErrorEvent&) const = default;
};
DESCRIBE(ErrorEvent, (message, "One sentence for a person"), (kind, "Why there is no answer"),
         (resets_at, "When the limit ends, in seconds since 1970"),
         (api_status, "The HTTP status of the API, when it gave one"), (exit, "The CLI's exit code"),
         (signal, "The signal that ended the CLI"), (stderr_tail, "The last the CLI wrote to stderr"),
         (new_head, "The session's new head; the turn's messages are kept"),
         (claude_session_id, "The CLI's name for the session"), (usage, "What the turn used"))

using ChatEvent =
    std::variant<StartEvent, UserMessageEvent, ThinkingStartEvent, ThinkingDeltaEvent, ThinkingEndEvent,
                 ContentStartEvent, ContentDeltaEvent, ContentEndEvent, ToolUseStartEvent, ToolUseDeltaEvent,
                 ToolUseEndEvent, ToolResultEvent, AssistantMessageEvent, AwaitingApprovalEvent,
                 ApprovalResolvedEvent, StatusEvent, CompleteEvent, PassthroughEvent, ErrorEvent>;

std::string_view event_type(const ChatEvent& event);

// Fills in the place the event speaks of: its position, turn_position or new_head.
void set_position(ChatEvent& event, const Position& position);

// The last item of every stream.
inline bool is_terminal(const ChatEvent& event) {
    return std::holds_alternative<CompleteEvent>(event) || std::holds_alternative<ErrorEvent>(event);
}

}  // namespace plexus::claudecode

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::claudecode::ChatEvent> = "ChatEvent";
