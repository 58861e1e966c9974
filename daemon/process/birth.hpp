// The child's side of launch(): from the moment it exists until it becomes the program.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>

namespace plexus::process {

struct Limit {
    int resource = 0;
    rlimit64 value{};
};

// What the child works from, and where it leaves its verdict: our own memory, which it shares until it execs.
struct Birth {
    pid_t parent = 0;
    int directory = -1;
    std::array<int, 3> standard{-1, -1, -1};
    std::array<Limit, 4> limits;
    std::size_t limit_count = 0;
    const char* program = nullptr;
    char** argv = nullptr;
    char** envp = nullptr;

    int error = 0;
    const char* step = nullptr;  // what the error came from
};

// Runs in the child, in our memory, on a stack of its own, while we are stopped. Only bare system calls: a
// library function could change state that we go on using, and the sanitizers wrap many of them.
int become_program(void* birth);

}  // namespace plexus::process
