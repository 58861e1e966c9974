// The conversation up to a head, read from the tree alone. For each turn on the way from the root: its
// messages in order, up to and including the one on the way. Synchronous, on a storage thread.
#pragma once

#include "activations/arbor/arbor.hpp"
#include "activations/claudecode/blob_store.hpp"

namespace plexus::claudecode {

struct ContextBlock {
    Uuid node{}, blob{};
    std::string kind;  // the handle's method: content, thinking, tool_use, tool_result, block
    std::string data;  // JSON text of the block, verbatim
    std::string cli_uuid;
};

struct ContextMessage {
    Uuid node{}, blob{};
    std::string role;
    Json data;  // message_id, model, stop_reason, usage; a user's content
    std::string cli_uuid;
    std::vector<ContextBlock> blocks;
};

std::vector<ContextMessage> read_context(hub::Transaction& sql, Uuid tree, Uuid head);

// As the Messages API wants it: tool results in a user message of their own, behind the calls they answer.
Json as_api_messages(const std::vector<ContextMessage>& context);

// As the CLI's own session file, one entry per block, which `--resume` takes. A call without a result is
// answered by a marked error, so that the API accepts the conversation.
std::string as_transcript(const std::vector<ContextMessage>& context, const std::string& session_id,
                          const std::string& working_dir, const std::string& timestamp);

}  // namespace plexus::claudecode
