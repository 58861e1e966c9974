// Who descends from whom, read from /proc. The gate asks it whether a peer is one of our agents or something
// an agent started; the process code asks it what has to go.
//
// Processes come and go while we look: what vanishes is simply not in the answer, nothing here throws.
// Reading costs some 20 us a process. Linux only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::process {

struct Stat {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    char state = 0;             // 'Z': dead, waiting for its parent to notice
    std::uint64_t started = 0;  // clock ticks since boot
};

std::optional<Stat> read_stat(pid_t pid);
std::optional<Stat> parse_stat(std::string_view line);

std::vector<pid_t> children(pid_t pid);
// All living and dead below `pid`, parents before children; `pid` itself is not among them.
std::vector<pid_t> descendants(pid_t pid);
std::vector<pid_t> all_processes();

bool is_descendant(pid_t pid);  // of this process; false for ourselves
// The one of our descendants that holds the socket with this inode, if any does.
std::optional<pid_t> descendant_owning_socket(std::uint64_t inode);

// Does the environment this process was started with hold exactly this "NAME=value"?
bool started_with(pid_t pid, std::string_view entry);
const std::string& boot_id();

}  // namespace plexus::process
