#include "daemon/config/state_dir.hpp"

namespace plexus::config {

namespace fs = std::filesystem;

fs::path usual_state_dir(const std::map<std::string, std::string>& environment) {
    const auto variable = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string() : found->second;
    };
    // systemd may name several, separated by colons; the first is ours.
    if (const auto given = variable("STATE_DIRECTORY"); !given.empty())
        return given.substr(0, given.find(':'));
    if (const auto given = variable("XDG_STATE_HOME"); !given.empty()) return fs::path(given) / "plexus";
    return fs::path(variable("HOME")) / ".local/state/plexus";
}

}  // namespace plexus::config
