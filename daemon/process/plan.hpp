// A command made ready to start: program found, directory opened, arguments laid out as exec wants them. What
// cannot work is refused here, with a sentence, because the child can only report a number.
#pragma once

#include "daemon/process/descriptor.hpp"
#include "hub/process.hpp"

#include <string>
#include <vector>

namespace plexus::process {

struct Plan {
    std::string program;
    Descriptor directory;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<char*> argv() { return pointers(arguments); }
    std::vector<char*> envp() { return pointers(environment); }

private:
    static std::vector<char*> pointers(std::vector<std::string>& texts);
};

Plan plan(const hub::Command& command, const std::string& tree);

// `what` says in words what did not work; errno's own text is added.
[[noreturn]] void refuse(const hub::Command& command, std::string what, int error);

}  // namespace plexus::process
