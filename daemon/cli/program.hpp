// What a command is: a function that adds itself to the command line and, when it is chosen, leaves behind
// what to run. Each lives in a file of its own, command_<name>.cpp; main.cpp lists them.
#pragma once

#include "daemon/cli/options.hpp"
#include "daemon/cli/output.hpp"
#include "hub/async.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace plexus::cli {

struct Program {
    Options options;
    std::function<hub::awaitable<int>(Output& out)> chosen;
};

using AddCommand = void(CLI::App& app, Program& program);
AddCommand add_call, add_schema, add_tree, add_info, add_health, add_doctor, add_completion;

}  // namespace plexus::cli
