#include "daemon/process/lineage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <functional>
#include <memory>

namespace plexus::process {

namespace {

std::string read_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string text;
    std::array<char, 4096> chunk;
    for (ssize_t n; (n = ::read(file, chunk.data(), chunk.size())) > 0;) {
        text.append(chunk.data(), static_cast<std::size_t>(n));
    }
    ::close(file);
    return text;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::string_view next_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const auto word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    return word;
}

void each_entry(const std::string& directory, const std::function<bool(const char*)>& visit) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
    if (!listing) return;
    while (const dirent* entry = ::readdir(listing.get())) {
        if (entry->d_name[0] != '.' && !visit(entry->d_name)) return;
    }
}

std::string proc(pid_t pid, std::string_view what) {
    return "/proc/" + std::to_string(pid) + "/" + std::string(what);
}

bool holds(pid_t pid, const std::string& link) {
    const auto fds = proc(pid, "fd/");
    bool found = false;
    each_entry(fds, [&](const char* name) {
        std::array<char, 64> target;
        const auto n = ::readlink((fds + name).c_str(), target.data(), target.size());
        found = n > 0 && std::string_view(target.data(), static_cast<std::size_t>(n)) == link;
        return !found;
    });
    return found;
}

}  // namespace

// "pid (name) S ppid pgrp ... starttime ...": the name may hold spaces and brackets, so count from its end.
std::optional<Stat> parse_stat(std::string_view line) {
    const auto name_end = line.rfind(')');
    if (name_end == line.npos) return {};
    const auto pid = number<pid_t>(next_word(line));
    auto rest = line.substr(line.rfind(')') + 1);
    const auto state = next_word(rest);
    const auto parent = number<pid_t>(next_word(rest));
    const auto group = number<pid_t>(next_word(rest));
    for (int field = 6; field < 22; ++field) next_word(rest);
    const auto started = number<std::uint64_t>(next_word(rest));
    if (!pid || state.size() != 1 || !parent || !group || !started) return {};
    return Stat{*pid, *parent, *group, state[0], *started};
}

std::optional<Stat> read_stat(pid_t pid) { return parse_stat(read_file(proc(pid, "stat"))); }

std::vector<pid_t> children(pid_t pid) {
    std::vector<pid_t> found;
    const auto tasks = proc(pid, "task/");
    each_entry(tasks, [&](const char* task) {  // the kernel keeps children by the thread that made them
        const auto text = read_file(tasks + task + "/children");
        std::string_view rest = text;
        while (const auto child = number<pid_t>(next_word(rest))) found.push_back(*child);
        return true;
    });
    return found;
}

std::vector<pid_t> descendants(pid_t pid) {
    auto found = children(pid);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto more = children(found[i]);
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> found;
    each_entry("/proc/", [&](const char* name) {
        if (const auto pid = number<pid_t>(name)) found.push_back(*pid);
        return true;
    });
    return found;
}

bool is_descendant(pid_t pid) {
    constexpr int attempts = 16;
    const auto self = ::getpid();
    for (int attempt = 0; attempt < attempts; ++attempt) {
        auto stat = read_stat(pid);
        if (!stat) return false;
        while (stat && stat->parent != self && stat->parent > 1) stat = read_stat(stat->parent);
        if (stat) return stat->parent == self;
        // An ancestor ended under our eyes and its children moved up: look again.
    }
    return true;  // a family that changes faster than we can read is treated as ours: it gets less, not more
}

std::optional<pid_t> descendant_owning_socket(std::uint64_t inode) {
    const auto link = "socket:[" + std::to_string(inode) + "]";
    for (const auto pid : descendants(::getpid())) {
        if (holds(pid, link)) return pid;
    }
    return {};
}

bool started_with(pid_t pid, std::string_view entry) {
    const auto environment = '\0' + read_file(proc(pid, "environ"));
    return environment.find('\0' + std::string(entry) + '\0') != environment.npos;
}

const std::string& boot_id() {
    static const std::string id = [] {
        auto text = read_file("/proc/sys/kernel/random/boot_id");
        if (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }();
    return id;
}

}  // namespace plexus::process
