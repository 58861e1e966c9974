#include "daemon/process/plan.hpp"

#include "daemon/process/launch.hpp"
#include "schema/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace plexus::process {

namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

void check_text(const hub::Command& command) {
    if (command.argv.empty() || command.argv[0].empty()) refuse(command, "no program was named", EINVAL);
    // The kernel reads up to the first NUL: what follows would silently be lost.
    const auto broken = [](const std::string& text) { return text.find('\0') != text.npos; };
    if (std::ranges::any_of(command.argv, broken)) refuse(command, "an argument holds a NUL byte", EINVAL);
    for (const auto& [name, value] : command.environment) {
        if (name.empty() || name.find('=') != name.npos || broken(name) || broken(value)) {
            refuse(command, "the environment variable " + quoted(name) + " cannot be passed on", EINVAL);
        }
    }
}

bool is_program(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program(const hub::Command& command) {
    const auto& name = command.argv[0];
    if (name.find('/') != name.npos) return name;  // exec itself says what is wrong with it
    const auto path = command.environment.find("PATH");
    if (path == command.environment.end())
        refuse(command, quoted(name) + " cannot be looked up without PATH", ENOENT);
    std::string_view rest = path->second;
    bool there = false;
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        const auto candidate = std::string(folder) + "/" + name;
        if (!folder.empty() && is_program(candidate)) return candidate;
        there = there || (!folder.empty() && ::access(candidate.c_str(), F_OK) == 0);
    }
    if (there) refuse(command, quoted(name) + " in PATH is not executable", EACCES);
    refuse(command, quoted(name) + " was not found in PATH (" + path->second + ")", ENOENT);
}

bool lies_under(const std::string& path, const std::string& root) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(root.c_str(), nullptr), std::free);
    if (!real) return false;
    const std::string base = real.get();
    return path == base || base == "/" || path.starts_with(base + "/");
}

// Opened once and entered by descriptor: a path that is swapped after the check leads nowhere else.
Descriptor open_directory(const hub::Command& command) {
    Descriptor directory(::open(command.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        const auto why = errno == ENOENT    ? " does not exist"
                         : errno == ENOTDIR ? " is not a directory"
                                            : " cannot be opened";
        refuse(command, "the working directory " + quoted(command.directory) + why, errno);
    }
    if (command.roots.empty()) return directory;
    std::array<char, PATH_MAX> real;
    const auto link = "/proc/self/fd/" + std::to_string(directory.get());
    const auto n = ::readlink(link.c_str(), real.data(), real.size());
    const std::string path(real.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (std::ranges::none_of(command.roots, [&](const auto& root) { return lies_under(path, root); })) {
        refuse(command,
               "the working directory " + quoted(command.directory) + " lies outside the allowed roots",
               EPERM);
    }
    return directory;
}

}  // namespace

std::vector<char*> Plan::pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

Plan plan(const hub::Command& command, const std::string& tree) {
    check_text(command);
    Plan made{find_program(command), open_directory(command), command.argv, {}};
    for (const auto& [name, value] : command.environment) made.environment.push_back(name + "=" + value);
    made.environment.push_back(std::string(tree_variable) + "=" + tree);
    return made;
}

void refuse(const hub::Command& command, std::string what, int error) {
    const auto program = command.argv.empty() ? std::string() : command.argv[0];
    const char* name = ::strerrorname_np(error);
    auto failure = schema::failed(
        "spawn_failed", "Cannot start " + quoted(program) + ": " + std::move(what),
        {{"program", program}, {"directory", command.directory}, {"errno", name ? name : "?"}});
    failure.recoverable = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
    throw schema::Failure(std::move(failure));
}

}  // namespace plexus::process
