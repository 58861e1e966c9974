// The command line: plexusd [flags] | plexusd config show|check | plexusd token rotate|add|remove
#pragma once

#include "daemon/config/config.hpp"

namespace plexus {

struct Flags {
    enum class Command { serve, config_show, config_check, token_rotate, token_add, token_remove };
    Command command = Command::serve;
    config::Config config;
    std::filesystem::path state_dir;
    std::string token_name;
    std::vector<std::string> token_scopes;
};

// Exits by itself for --help, --version and usage errors (2). Throws Failure for a bad configuration.
Flags read_flags(int argc, char** argv);

}  // namespace plexus
