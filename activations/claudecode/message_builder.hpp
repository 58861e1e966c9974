// Puts messages together from lines and deltas, for the main conversation and for every sub-agent.
// Pure; part of the accumulator.
//
// An `assistant` line is the commit point: it brings one finished block, before the stop event of its
// stream. Deltas are provisional until then, keyed by message id and block index; a stream that is cut
// leaves blocks that are never committed, and these end as abandoned. A message gets its node with its
// first committed block, so a stream that came to nothing leaves no empty message behind.
#pragma once

#include "activations/claudecode/cli_message.hpp"
#include "activations/claudecode/effects.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace plexus::claudecode {

// One conversation: a turn of the main one, or a sub-agent's.
struct Chain {
    Key turn = no_key;                              // the node its messages hang under
    Key stream = no_key;                            // the turn whose stream gets its events
    std::optional<std::string> parent_tool_use_id;  // of a sub-agent
    Key head = no_key;                              // its newest message
    bool answered = false;                          // a block of it was committed
    std::vector<std::string> open;                  // names of messages that may still grow
    std::string streaming;                          // name of the message between its start and stop events
};

class MessageBuilder {
public:
    struct ToolUse {
        Key node = no_key;
        Key message = no_key;
        Key stream = no_key;
    };

    explicit MessageBuilder(EffectLog& log) : log_(log) {}

    // False when the event has no meaning for us.
    bool stream(Chain& chain, const StreamEvent& event);
    void assistant(Chain& chain, const AssistantLine& line, std::string_view cli_uuid);
    void tool_result(const Chain& chain, const ContentBlock& block, std::string_view details,
                     std::string_view cli_uuid);
    Key user(Chain& chain, std::string content, std::string_view cli_uuid, bool synthetic);
    void user_event(const Chain& chain, Key node, std::string_view cli_uuid);
    // The transcript knows how a message ended before, or better than, the stream.
    void finalise(const TranscriptMirror& mirror);
    // Nothing more will come for the open messages of this chain.
    void close(Chain& chain);

    const ToolUse* tool_use(std::string_view id) const;

private:
    struct Provisional {
        std::int64_t index = 0;
        std::string type;
        std::string id;
        std::string name;
        std::string text;
    };
    struct Message {
        Key node = no_key;
        std::string name;  // the id, or one we made up for a message without
        std::string id;
        std::string model;
        std::string stop_reason;
        std::string usage;
        bool final = false;
        bool told = false;
        std::int64_t next_index = 0;
        std::vector<Provisional> blocks;  // started, not yet committed
    };

    Message& open_message(Chain& chain, std::string_view id);
    void close_message(Chain& chain, const std::string& name);
    void abandon(const Chain& chain, Message& message);
    Provisional settle(const Chain& chain, Message& message, const ContentBlock& block);
    void commit(Chain& chain, Message& message, const ContentBlock& block, const AssistantLine& line,
                std::string_view cli_uuid);
    void start_event(const Chain& chain, const Provisional& block);
    void delta_event(const Chain& chain, const Provisional& block, std::string_view text);
    void end_event(const Chain& chain, const Provisional& block, Key node, std::string_view raw);
    bool delta(const Chain& chain, Message& message, const StreamEvent& event);
    void update(const Message& message);

    EffectLog& log_;
    std::unordered_map<std::string, Message> messages_;
    std::unordered_map<std::string, ToolUse> tool_uses_;
    std::uint64_t nameless_ = 0;
};

}  // namespace plexus::claudecode
