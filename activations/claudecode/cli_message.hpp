// One line of the CLI's stdout, typed. Every string_view points into the StreamParser that made the
// message and is valid until it parses the next line. Absent strings are empty; `raw` is JSON text
// as printed. Objects are open: what we do not name here is still in `raw`.
#pragma once

#include "activations/claudecode/usage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plexus::claudecode {

struct ContentBlock {
    std::string_view type;
    std::string_view id;    // of a tool_use
    std::string_view name;  // of a tool_use
    std::string_view text;  // of text and thinking; of a tool_result, its text parts joined
    std::string_view tool_use_id;
    bool is_error = false;
    std::string_view raw;
};

struct InitLine {
    std::string_view model;
    std::string_view permission_mode;
    std::string_view version;
    std::vector<std::string_view> prompt_uuids;  // the prompts that began this turn, when the CLI says so
};

struct StreamEvent {
    enum class Kind {
        message_start,
        block_start,
        block_delta,
        block_stop,
        message_delta,
        message_stop,
        other
    };
    Kind kind = Kind::other;
    std::int64_t index = 0;
    std::string_view message_id;
    std::string_view model;
    std::string_view delta_type;
    std::string_view delta_text;
    std::string_view stop_reason;
    ContentBlock block;
    std::string_view usage;  // raw
};

struct AssistantLine {
    std::string_view message_id;
    std::string_view model;
    std::string_view stop_reason;
    std::string_view usage;  // raw; not final unless stop_reason is set
    std::vector<ContentBlock> blocks;
    std::string_view error;
    std::optional<std::int64_t> api_status;
    bool aborted = false;
    std::vector<std::string_view> supersedes;
};

struct UserLine {
    bool replay = false;
    bool synthetic = false;
    std::string_view content;          // raw: a string or an array of blocks
    std::string_view text;             // the content, when it is one string
    std::vector<ContentBlock> blocks;  // the content, when it is blocks
    std::string_view tool_use_result;  // raw
};

struct ResultLine {
    std::string_view subtype;
    bool is_error = false;
    std::string_view text;
    std::string_view stop_reason;
    std::string_view terminal_reason;
    std::optional<std::int64_t> api_status;
    std::vector<std::string_view> errors;
    std::string_view origin;
    std::vector<std::string_view> prompt_uuids;
    std::int64_t num_turns = 0;
    std::int64_t duration_ms = 0;
    std::int64_t duration_api_ms = 0;
    double total_cost_usd = 0;
    ModelUsage tokens;                         // of this turn
    std::map<std::string, ModelUsage> models;  // of the process so far
    std::optional<std::map<std::string, ModelUsage>> models_since_last;
};

struct SystemLine {
    std::string_view status;           // of system/status
    std::string_view permission_mode;  // of system/status
    std::string_view error;            // of system/api_retry
    std::optional<std::int64_t> api_status;
    std::vector<std::string_view> retracted;
};

struct RateLimitLine {
    std::string_view status;
    std::optional<std::int64_t> resets_at;
};

struct ControlRequest {
    std::string_view request_id;
    std::string_view subtype;
    std::string_view tool_name;
    std::string_view tool_use_id;
    std::string_view agent_id;
    std::string_view input;    // raw
    std::string_view request;  // raw
};

struct ControlCancel {
    std::string_view request_id;
};

struct ControlResponse {
    std::string_view request_id;
    bool success = false;
    std::string_view error;
    std::string_view response;  // raw
};

struct TranscriptMirror {
    struct Entry {
        std::string_view message_id;
        std::string_view stop_reason;
        std::string_view usage;  // raw
    };
    std::vector<Entry> entries;  // the assistant's only
};

// A line whose type we do not know, or whose shape is not the one we know: kept verbatim.
struct OtherLine {};

// Not JSON, or not JSON we can hold.
struct Unparsed {
    std::string text;  // valid UTF-8
    std::string_view reason;
};

struct CliMessage {
    std::string_view raw;
    std::string_view type;
    std::string_view subtype;
    std::string_view uuid;
    std::string_view session_id;
    std::string_view parent_tool_use_id;
    std::string_view agent_id;
    std::string_view subagent_type;
    std::string_view task_description;
    std::variant<OtherLine, InitLine, StreamEvent, AssistantLine, UserLine, ResultLine, SystemLine,
                 RateLimitLine, ControlRequest, ControlCancel, ControlResponse, TranscriptMirror, Unparsed>
        body;
};

}  // namespace plexus::claudecode
