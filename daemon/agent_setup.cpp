#include "daemon/agent_setup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace plexus {

namespace fs = std::filesystem;
using schema::Failure;

namespace {

bool runs(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0;
}

// By components: /srv/data-secret does not lie under /srv/data.
bool lies_under(const fs::path& path, const fs::path& root) {
    const auto [end, _] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    return end == root.end();
}

}  // namespace

schema::Result<std::string> find_program(const std::string& name) {
    if (name.find('/') != name.npos) {
        if (runs(name)) return fs::absolute(name).string();
        return schema::failed("spawn_failed",
                              "claudecode.binary = \"" + name + "\" is not a program that can be run");
    }
    const char* path = std::getenv("PATH");
    std::istringstream places(path ? path : "");
    for (std::string place; std::getline(places, place, ':');)
        if (runs(fs::path(place) / name)) return (fs::path(place) / name).string();
    return schema::failed("spawn_failed",
                          "The CLI `" + name +
                              "` is not in PATH: install it (npm install -g @anthropic-ai/claude-code) or "
                              "set claudecode.binary in the configuration, then restart");
}

std::vector<std::string> existing_roots(const std::vector<std::string>& configured) {
    std::vector<std::string> roots;
    for (auto root : configured) {
        if (root.starts_with('~')) {
            const char* home = std::getenv("HOME");
            root = (home ? home : "") + root.substr(1);
        }
        std::error_code error;
        const auto real = fs::canonical(root, error);
        if (!error) roots.push_back(real.string());
    }
    return roots;
}

std::string working_directory(const std::string& directory, const std::vector<std::string>& roots) {
    std::error_code error;
    if (!fs::path(directory).is_absolute())
        throw Failure(schema::invalid_params("/working_dir must be an absolute path, not " +
                                             schema::clipped(directory)));
    const auto real = fs::canonical(directory, error);
    if (error || !fs::is_directory(real, error))
        throw Failure(schema::invalid_params("/working_dir " + schema::clipped(directory) +
                                             " is not a directory that exists"));
    for (const auto& root : roots)
        if (lies_under(real, root)) return real.string();
    std::string all;
    for (const auto& root : roots) all += (all.empty() ? "" : ", ") + root;
    throw Failure(schema::invalid_params("/working_dir " + schema::clipped(real.string()) +
                                         " lies under none of the configured claudecode.roots (" + all +
                                         ")"));
}

std::string keep_private_file(const fs::path& directory, const std::string& name, const std::string& text) {
    std::error_code error;
    fs::create_directories(directory, error);
    ::chmod(directory.c_str(), 0700);
    const auto path = directory / name;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool written = fd >= 0;
    for (std::size_t at = 0; written && at < text.size();) {
        const auto size = ::write(fd, text.data() + at, text.size() - at);
        written = size > 0;
        if (written) at += static_cast<std::size_t>(size);
    }
    if (fd >= 0) ::close(fd);
    if (!written)
        throw Failure(schema::failed("storage_error", "Cannot write " + path.string() + ": " +
                                                          std::generic_category().message(errno)));
    return path.string();
}

}  // namespace plexus
