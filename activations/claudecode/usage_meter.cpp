#include "activations/claudecode/usage_meter.hpp"

namespace plexus::claudecode {

ChatUsage UsageMeter::read(const ResultLine& result) {
    ChatUsage usage;
    usage.input_tokens = result.tokens.input_tokens;
    usage.output_tokens = result.tokens.output_tokens;
    usage.cache_read_input_tokens = result.tokens.cache_read_input_tokens;
    usage.cache_creation_input_tokens = result.tokens.cache_creation_input_tokens;
    usage.total_cost_usd = result.total_cost_usd;
    usage.num_turns = result.num_turns;
    usage.duration_ms = result.duration_ms;
    usage.duration_api_ms = result.duration_api_ms;
    // Newer versions say it outright, and need to: after a resume their sums go on from the old process's.
    if (result.models_since_last) {
        usage.models = *result.models_since_last;
        for (const auto& [name, model] : usage.models) usage.cost_usd += model.cost_usd;
    } else {
        usage.models = share(result.models);
        usage.cost_usd = result.total_cost_usd - (result.total_cost_usd < total_cost_ ? 0 : total_cost_);
    }
    total_cost_ = result.total_cost_usd;
    models_ = result.models;
    return usage;
}

UsageMeter::Models UsageMeter::share(const Models& so_far) const {
    Models share;
    for (const auto& [name, now] : so_far) {
        const auto before = models_.find(name);
        // Counting began anew (/clear), or with this model.
        const bool fresh = before == models_.end() || now.input_tokens < before->second.input_tokens;
        const auto& old = fresh ? ModelUsage() : before->second;
        const ModelUsage part = {now.input_tokens - old.input_tokens, now.output_tokens - old.output_tokens,
                                 now.cache_read_input_tokens - old.cache_read_input_tokens,
                                 now.cache_creation_input_tokens - old.cache_creation_input_tokens,
                                 now.cost_usd - old.cost_usd};
        if (part != ModelUsage()) share[name] = part;
    }
    return share;
}

}  // namespace plexus::claudecode
