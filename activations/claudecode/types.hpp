// What claudecode's methods take and give: upstream's names and fields where it has them.
#pragma once

#include "activations/claudecode/session.hpp"
#include "hub/handle.hpp"

namespace plexus::claudecode {

enum class View { granular, classic };
DESCRIBE_ENUM(View, granular, classic)

enum class Busy { queue, reject, interrupt };
DESCRIBE_ENUM(Busy, queue, reject, interrupt)

enum class OnDisconnect { continue_, cancel };
DESCRIBE_ENUM(OnDisconnect, continue_, cancel)

struct CreateParams {
    std::string name, working_dir, model;
    std::optional<std::string> system_prompt, append_system_prompt;
    std::optional<bool> loopback_enabled;
    std::optional<std::string> loopback_session_id;
    std::optional<Json> mcp_config;
    std::optional<PermissionMode> permission_mode;
    std::optional<std::vector<std::string>> allowed_tools, disallowed_tools;
    std::optional<std::uint32_t> max_turns;
    std::optional<double> max_budget_usd;
    std::optional<std::string> config_dir;
    std::optional<Json> metadata;
};
DESCRIBE(CreateParams, (name, "Unique"),
         (working_dir, "Where the CLI works; must exist under a configured root"),
         (model, "sonnet, opus, haiku or a full model name"), (system_prompt, "In place of the CLI's own"),
         (append_system_prompt, "After the CLI's own"),
         (loopback_enabled, "Put tools that need it to people"),
         (loopback_session_id, "The name approvals of this session go by"),
         (mcp_config, "MCP servers, as the CLI takes them"), (permission_mode, "How tools are allowed"),
         (allowed_tools, "Never asked about"), (disallowed_tools, "Never allowed"),
         (max_turns, "API round trips per chat"), (max_budget_usd, "Dollars per process"),
         (config_dir, "CLAUDE_CONFIG_DIR of this session"), (metadata, "Yours to use"))

struct NameParams {
    std::string name;
};
DESCRIBE(NameParams, (name, "Id, name, or a prefix that only one session has"))

struct RenameParams {
    std::string name, new_name;
};
DESCRIBE(RenameParams, (name, "The session"), (new_name, "Unique"))

struct ForkParams {
    std::string name, new_name;
    std::optional<Uuid> node_id;
};
DESCRIBE(ForkParams, (name, "The session"), (new_name, "Of the fork"),
         (node_id, "The message to fork at; the head when left out"))

struct ChatParams {
    std::string name;
    Json prompt;
    bool ephemeral = false;
    std::optional<std::vector<std::string>> allowed_tools;
    std::optional<View> view;
    Busy busy = Busy::queue;
    OnDisconnect on_disconnect = OnDisconnect::continue_;
};
DESCRIBE(ChatParams, (name, "The session"), (prompt, "Text, or an array of content blocks"),
         (ephemeral, "Answer without advancing the session", defaulted),
         (allowed_tools, "From now on never asked about in this session"), (view, "Of the events"),
         (busy, "When a chat is running: wait in line, refuse, or interrupt it", defaulted),
         (on_disconnect, "What becomes of the chat when the caller goes", defaulted))

struct PollParams {
    std::optional<Uuid> stream_id;
    std::optional<std::string> session;
    std::optional<std::uint64_t> from_seq;
    std::optional<std::string> cursor;
    std::uint32_t limit = 100;
    std::uint32_t wait_ms = 0;
    std::optional<View> view;
};
DESCRIBE(PollParams, (stream_id, "The stream"), (session, "Or a session: its newest stream"),
         (from_seq, "Only events after this number"),
         (cursor, "Only events after this one: a cursor, or an event's node id"),
         (limit, "At most this many", defaulted),
         (wait_ms, "Wait this long for an event when there is none", defaulted), (view, "Of the events"))

struct SubscribeParams {
    std::optional<Uuid> stream_id;
    std::optional<std::string> session, cursor;
    std::optional<View> view;
};
DESCRIBE(SubscribeParams, (stream_id, "The stream"), (session, "Or a session: its newest stream"),
         (cursor, "Only events after this one"), (view, "Of the events"))

struct StreamsParams {
    std::optional<std::string> session_id;
    std::uint32_t limit = 100;
};
DESCRIBE(StreamsParams, (session_id, "Of this session only"),
         (limit, "At most this many, newest first", defaulted))

struct StopParams {
    std::optional<Uuid> stream_id;
    std::optional<std::string> name;
};
DESCRIBE(StopParams, (stream_id, "The chat to stop"), (name, "Or the session whose running chat to stop"))

struct RenderParams {
    std::string name;
    std::optional<Uuid> start, end;
};
DESCRIBE(RenderParams, (name, "The session"), (start, "First message; the beginning when left out"),
         (end, "Last message; the head when left out"))

struct SetHeadParams {
    std::string name;
    Uuid node_id{};
};
DESCRIBE(SetHeadParams, (name, "The session"), (node_id, "A message of its tree, or the root"))

struct BranchesParams {
    std::string name;
    std::optional<Uuid> node_id;
};
DESCRIBE(BranchesParams, (name, "The session"), (node_id, "A message; the root when left out"))

struct BlockParams {
    Uuid blob_id{};
};
DESCRIBE(BlockParams, (blob_id, "The first meta of a claudecode handle"))

struct SessionConfig {
    Uuid id{};
    std::string name;
    std::optional<std::string> claude_session_id, loopback_session_id;
    Position head;
    std::string working_dir, model;
    std::optional<std::string> system_prompt;
    std::optional<Json> mcp_config;
    bool loopback_enabled = false;
    std::optional<Json> metadata;
    std::int64_t created_at = 0, updated_at = 0;
    Settings settings;
};
DESCRIBE(SessionConfig, (id, "The session"), (name, "Unique"), (claude_session_id, "The CLI's own", nullable),
         (loopback_session_id, "The name its approvals go by", nullable), (head, "Where it stands"),
         (working_dir, "Where the CLI works"), (model, "The model"),
         (system_prompt, "If it has its own", nullable), (mcp_config, "MCP servers", nullable),
         (loopback_enabled, "Tools are put to people"), (metadata, "Yours", nullable),
         (created_at, "Unix seconds"), (updated_at, "Unix seconds"), (settings, "All of them"))

struct SessionInfo {
    Uuid id{};
    std::string name, model;
    Position head;
    std::optional<std::string> claude_session_id;
    std::string working_dir;
    bool loopback_enabled = false;
    std::int64_t created_at = 0;
};
DESCRIBE(SessionInfo, (id, "The session"), (name, "Unique"), (model, "The model"), (head, "Where it stands"),
         (claude_session_id, "The CLI's own", nullable), (working_dir, "Where the CLI works"),
         (loopback_enabled, "Tools are put to people"), (created_at, "Unix seconds"))

struct StreamInfo {
    Uuid stream_id{}, session_id{};
    StreamStatus status = StreamStatus::queued;
    std::optional<Position> user_position;
    std::uint64_t event_count = 0, read_position = 0;
    std::int64_t started_at = 0;
    std::optional<std::int64_t> ended_at;
    std::optional<std::string> error;
};
DESCRIBE(StreamInfo, (stream_id, "The stream"), (session_id, "Its session"), (status, "How it is"),
         (user_position, "The prompt's node", nullable), (event_count, "Events so far"),
         (read_position, "Always 0: every reader keeps its own place"), (started_at, "Unix seconds"),
         (ended_at, "Unix seconds", nullable), (error, "Why there was no answer", nullable))

struct PolledEvent {
    std::uint64_t seq = 0;
    Json event;
    std::int64_t timestamp = 0;
};
DESCRIBE(PolledEvent, (seq, "Its number, from 1"), (event, "The ChatEvent"), (timestamp, "Unix seconds"))

// Results. Their tags are upstream's.
struct Created {
    static constexpr std::string_view tag = "created";
    Uuid id{};
    std::string name;
    Position head;
};
DESCRIBE(Created, (id, "The session"), (name, "As stored"), (head, "The root of its tree"))

struct GotSession {
    static constexpr std::string_view tag = "ok";
    SessionConfig config;
};
DESCRIBE(GotSession, (config, "The session"))

struct SessionList {
    static constexpr std::string_view tag = "ok";
    std::vector<SessionInfo> sessions;
};
DESCRIBE(SessionList, (sessions, "Newest first"))

struct Deleted {
    static constexpr std::string_view tag = "deleted";
    Uuid id{};
};
DESCRIBE(Deleted, (id, "The session"))

struct Renamed {
    static constexpr std::string_view tag = "renamed";
    Uuid id{};
    std::string name;
};
DESCRIBE(Renamed, (id, "The session"), (name, "Its new name"))

struct Forked {
    static constexpr std::string_view tag = "forked";
    Uuid id{};
    std::string name;
    Position head;
};
DESCRIBE(Forked, (id, "The new session"), (name, "As stored"), (head, "Where both stand"))

struct Started {
    static constexpr std::string_view tag = "started";
    Uuid stream_id{}, session_id{};
};
DESCRIBE(Started, (stream_id, "What to poll"), (session_id, "The session"))

struct Stopped {
    static constexpr std::string_view tag = "stopped";
    Uuid stream_id{};
};
DESCRIBE(Stopped, (stream_id, "What was asked to stop; its last event tells how it ended"))

struct Polled {
    static constexpr std::string_view tag = "ok";
    Uuid stream_id{};
    StreamStatus status = StreamStatus::queued;
    std::vector<PolledEvent> events;
    std::uint64_t read_position = 0, total_events = 0;
    bool has_more = false;
    std::string cursor;
};
DESCRIBE(Polled, (stream_id, "The stream"), (status, "How it is"), (events, "In order"),
         (read_position, "Number of the last event given; the next from_seq"),
         (total_events, "Events so far"), (has_more, "More are there already"), (cursor, "Where to go on"))

struct StreamList {
    static constexpr std::string_view tag = "ok";
    std::vector<StreamInfo> streams;
};
DESCRIBE(StreamList, (streams, "Newest first"))

struct TreePlace {
    static constexpr std::string_view tag = "ok";
    Uuid tree_id{}, head{};
};
DESCRIBE(TreePlace, (tree_id, "The tree"), (head, "The head's node"))

struct Rendered {
    static constexpr std::string_view tag = "ok";
    std::vector<Json> messages;
};
DESCRIBE(Rendered, (messages, "Role and content blocks, as the Messages API takes them"))

struct ConversationMessage {
    static constexpr std::string_view tag = "message";
    Position position;
    std::string role;
    std::optional<std::string> model, stop_reason, cli_uuid;
    std::optional<Json> usage;
    std::vector<Json> content;
};
DESCRIBE(ConversationMessage, (position, "Its node"), (role, "user or assistant"), (model, "Who answered"),
         (stop_reason, "Why it stopped"), (cli_uuid, "The checkpoint"), (usage, "As the API counted"),
         (content, "Its blocks in order, results beside their calls"))

struct ConversationEnd {
    static constexpr std::string_view tag = "end";
    Position head;
    std::uint64_t messages = 0;
};
DESCRIBE(ConversationEnd, (head, "The session's head"), (messages, "How many there were"))
using ConversationEvent = std::variant<ConversationMessage, ConversationEnd>;

struct Block {
    static constexpr std::string_view tag = "block";
    Uuid blob_id{}, node_id{};
    std::string blob_type;
    Json data;
    std::optional<Json> details;
    std::optional<std::string> cli_uuid;
    std::optional<std::int64_t> tokens_in, tokens_out;
    std::optional<double> cost_usd;
};
DESCRIBE(Block, (blob_id, "The blob"), (node_id, "Its node"), (blob_type, "The handle's method"),
         (data, "As the CLI printed it"), (details, "A tool's structured result"),
         (cli_uuid, "The checkpoint"), (tokens_in, "Of the turn"), (tokens_out, "Of the turn"),
         (cost_usd, "Of the turn"))

struct HeadSet {
    static constexpr std::string_view tag = "head_set";
    Position old_head, new_head;
};
DESCRIBE(HeadSet, (old_head, "Where it stood"), (new_head, "Where it stands"))

struct Branch {
    Uuid turn_id{}, head{};
    std::int64_t turn_index = 0;
    std::vector<std::string> sessions;
};
DESCRIBE(Branch, (turn_id, "The turn it begins with"), (head, "The last message of that turn"),
         (turn_index, "Which turn"), (sessions, "Sessions whose head is in that turn"))

struct BranchList {
    static constexpr std::string_view tag = "ok";
    std::vector<Branch> branches;
};
DESCRIBE(BranchList, (branches, "Turns that go on from the node, oldest first"))

// What subscribe streams.
struct Continuous {
    static constexpr std::string_view tag = "continuous";
    Uuid stream_id{};
};
DESCRIBE(Continuous, (stream_id, "Its events follow without a gap"))

struct StreamEventItem {
    static constexpr std::string_view tag = "event";
    Uuid stream_id{};
    std::uint64_t seq = 0;
    Json event;
    std::int64_t timestamp = 0;
    std::string cursor;
};
DESCRIBE(StreamEventItem, (stream_id, "The stream"), (seq, "Its number, from 1"), (event, "The ChatEvent"),
         (timestamp, "Unix seconds"), (cursor, "Where to go on after it"))

struct CaughtUp {
    static constexpr std::string_view tag = "caught_up";
    std::string cursor;
};
DESCRIBE(CaughtUp, (cursor, "Everything up to here was sent; what follows is live"))
using SubscribeEvent = std::variant<Continuous, StreamEventItem, CaughtUp>;

}  // namespace plexus::claudecode

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::claudecode::SubscribeEvent> =
    "SubscribeEvent";
template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::claudecode::ConversationEvent> =
    "ConversationEvent";
