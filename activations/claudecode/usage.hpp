// What a turn cost: tokens, money and time, filled from the CLI's `result` line. Pure values.
#pragma once

#include "schema/codec.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace plexus::claudecode {

struct ModelUsage {
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::int64_t cache_read_input_tokens = 0;
    std::int64_t cache_creation_input_tokens = 0;
    double cost_usd = 0;
    bool operator==(const ModelUsage&) const = default;
};
DESCRIBE(ModelUsage, (input_tokens, "Tokens read"), (output_tokens, "Tokens written"),
         (cache_read_input_tokens, "Tokens read from the prompt cache"),
         (cache_creation_input_tokens, "Tokens written to the prompt cache"),
         (cost_usd, "Cost in US dollars"))

struct ChatUsage {
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::int64_t cache_read_input_tokens = 0;
    std::int64_t cache_creation_input_tokens = 0;
    double cost_usd = 0;
    double total_cost_usd = 0;
    std::int64_t num_turns = 0;
    std::int64_t duration_ms = 0;
    std::int64_t duration_api_ms = 0;
    std::map<std::string, ModelUsage> models;
    bool operator==(const ChatUsage&) const = default;
};
DESCRIBE(ChatUsage, (input_tokens, "Tokens read in this turn, sub-agents not counted"),
         (output_tokens, "Tokens written in this turn, sub-agents not counted"),
         (cache_read_input_tokens, "Tokens read from the prompt cache in this turn"),
         (cache_creation_input_tokens, "Tokens written to the prompt cache in this turn"),
         (cost_usd, "Cost of this turn in US dollars, sub-agents counted"),
         (total_cost_usd, "Cost so far, as the CLI counts it", defaulted),
         (num_turns, "API round trips in this turn"), (duration_ms, "Wall time of this turn", defaulted),
         (duration_api_ms, "Time spent waiting for the API", defaulted),
         (models, "This turn's share by model, sub-agents counted", defaulted))

}  // namespace plexus::claudecode
