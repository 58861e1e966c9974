// What every command of plexusctl understands: how to find the daemon and how to print.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace plexus::cli {

struct Options {
    bool json = false, quiet = false;
    double timeout = 0;  // seconds; 0 waits for ever
    std::string socket, url, state_dir, token;
};

void add_options(CLI::App& app, Options& options);

}  // namespace plexus::cli
