// The completion scripts, written by hand. @COMMANDS@ and @OPTIONS@ stand for what the command line knows.
#pragma once

#include <string>
#include <string_view>

namespace plexus::cli {

std::string completion_script(std::string_view shell);  // bash, zsh or fish

}  // namespace plexus::cli
