// What a recording says, read from its raw lines by code that shares nothing with the parser and the
// accumulator. The judge in the recordings test.
#pragma once

#include "tests/claudecode_stream/recording.hpp"

#include <map>
#include <string>
#include <vector>

namespace plexus::tests {

struct Entry {
    std::string what;    // block, result or user
    std::string parent;  // the call of the sub-agent it belongs to
    std::string id;      // message id of a block, tool_use_id of a result
    std::string uuid;
    schema::Json value;
    bool operator==(const Entry&) const = default;
};

struct Ending {
    std::string stop_reason;
    schema::Json usage;
};

struct GroundTruth {
    std::vector<Entry> conversation;        // in the order of the lines
    std::map<std::string, int> blocks;      // by type
    std::vector<schema::Json> results;      // the result lines
    std::map<std::string, Ending> endings;  // by message id, from message_delta or the transcript
    int abandoned = 0;                      // blocks that were streamed and never finished
    int errors = 0;                         // assistant lines that are no answer
    std::vector<bool> may_be_silent;        // lines that need not lead to an effect of their own
};

// The first `sent` prompts are stored by who sends them; their echo is no part of what the CLI adds.
GroundTruth read(const Recording& recording, std::size_t sent);

// The same, from what the accumulator asked to be written.
std::vector<Entry> conversation_in(const std::vector<claudecode::Effect>& effects);

}  // namespace plexus::tests
