// Where the daemon keeps everything unless told otherwise. plexusctl looks in the same place.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace plexus::config {

// $STATE_DIRECTORY, else $XDG_STATE_HOME/plexus, else ~/.local/state/plexus.
std::filesystem::path usual_state_dir(const std::map<std::string, std::string>& environment);

}  // namespace plexus::config
