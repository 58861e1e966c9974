// This turn's usage out of `result` lines that count money and models for the whole process. Pure; one
// per process.
#pragma once

#include "activations/claudecode/cli_message.hpp"
#include "activations/claudecode/usage.hpp"

namespace plexus::claudecode {

class UsageMeter {
public:
    ChatUsage read(const ResultLine& result);

private:
    using Models = std::map<std::string, ModelUsage>;
    Models share(const Models& so_far) const;

    double total_cost_ = 0;
    Models models_;
};

}  // namespace plexus::claudecode
