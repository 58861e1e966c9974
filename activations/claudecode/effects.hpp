// What the accumulator asks to be done, in order: nodes and blobs to write, events to append, requests
// to answer. Pure values. Nodes are named by a Key that means something only within one accumulator;
// the mirror gives each its id when it writes it and looks it up when a later effect names it.
#pragma once

#include "activations/claudecode/events.hpp"
#include "activations/claudecode/outcome.hpp"

#include <string>
#include <variant>
#include <vector>

namespace plexus::claudecode {

using Key = std::uint32_t;
inline constexpr Key no_key = 0;

enum class TurnOrigin { prompt, cli, sub_agent };

struct OpenTurn {
    Key turn = no_key;
    TurnOrigin origin = TurnOrigin::prompt;
    Key parent = no_key;             // a sub-agent's: the tool_use node, if this process made it
    std::string parent_tool_use_id;  // a sub-agent's
    Json metadata = Json::object();  // a sub-agent's: sidechain, agent_id, subagent_type, task_description
};

// handle: message, meta [blob, role]
struct AddMessage {
    Key node = no_key;
    Key turn = no_key;
    std::string role;
    std::string message_id;  // the API's; an assistant's only
    std::string model;
    std::string cli_uuid;
    std::string content;     // JSON text, a user's only; an assistant's content is its blocks
    bool synthetic = false;  // the CLI wrote it in the user's name
};

// handle: `method`, meta [blob, ...meta]
struct AddBlock {
    Key node = no_key;
    Key message = no_key;  // unknown when the tool_use came from an earlier process
    Key after = no_key;    // stands right behind this sibling; at the end when there is none
    Key turn = no_key;
    std::string method;
    std::vector<std::string> meta;
    std::string data;     // JSON text of the block as the CLI printed it
    std::string details;  // JSON text: a tool's structured result, when there is one
    std::string cli_uuid;
    bool aborted = false;  // what had come when the turn was interrupted
};

// Idempotent; a later one knows better.
struct UpdateMessage {
    Key message = no_key;
    std::string stop_reason;
    std::string usage;   // JSON text
    bool final = false;  // usage and stop_reason are the last word
};

// handle: passthrough, meta [event, event_type]
struct AddPassthrough {
    Key node = no_key;
    Key turn = no_key;  // the last turn when none is open; none when there never was one
    std::string event_type;
    std::string data;  // JSON text
    std::string cli_uuid;
};

struct Emit {
    Key turn = no_key;  // whose stream; none while no turn is open
    ChatEvent event;
    Key position = no_key;       // what set_position() is to be given, or whose handle a passthrough shows
    Key user_position = no_key;  // for `start`
};

struct EndTurn {
    Key turn = no_key;
    Outcome outcome;
    ChatUsage usage;
    Key head = no_key;  // the last message of the turn; none when it has no message
    std::string claude_session_id;
    std::string result;  // JSON text of the result line, if there was one
};

struct SessionSeen {
    std::string session_id;
    std::string model;
    std::string permission_mode;
    std::string version;
    std::string data;  // JSON text of the init line
};

struct PromptAcknowledged {
    Key turn = no_key;
    std::string uuid;
};

struct PermissionAsked {
    Key turn = no_key;
    std::string request_id;
    std::string tool_name;
    std::string tool_use_id;
    std::string agent_id;
    std::string input;    // JSON text
    std::string request;  // JSON text: suggestions, blocked_path, description and the rest
};

// Any other request of the CLI to its host: hook_callback, mcp_message, elicitation, ...
struct HostAsked {
    std::string request_id;
    std::string subtype;
    std::string request;  // JSON text
};

struct RequestWithdrawn {
    std::string request_id;
};

struct ControlAnswered {
    std::string request_id;
    bool success = false;
    std::string error;
    std::string response;  // JSON text
};

// The CLI took these entries of its transcript back.
struct Retracted {
    std::vector<std::string> cli_uuids;
};

using Effect = std::variant<OpenTurn, AddMessage, AddBlock, UpdateMessage, AddPassthrough, Emit, EndTurn,
                            SessionSeen, PromptAcknowledged, PermissionAsked, HostAsked, RequestWithdrawn,
                            ControlAnswered, Retracted>;

// The effects of one accumulator and the keys it has given out.
class EffectLog {
public:
    Key new_key() { return ++last_; }
    void add(Effect effect) { effects_.push_back(std::move(effect)); }
    void emit(Key turn, ChatEvent event, Key position = no_key, Key user_position = no_key) {
        effects_.push_back(Emit{turn, std::move(event), position, user_position});
    }
    std::vector<Effect> take() { return std::exchange(effects_, {}); }

private:
    std::vector<Effect> effects_;
    Key last_ = no_key;
};

}  // namespace plexus::claudecode
