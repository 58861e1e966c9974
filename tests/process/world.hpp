// Real processes on a real loop, and what is left of them afterwards.
#pragma once

#include "daemon/process/lineage.hpp"
#include "daemon/process/linux_processes.hpp"
#include "tests/support/loop.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>

namespace plexus::tests {

using namespace std::chrono_literals;

struct World {
    boost::asio::io_context loop{1};
    process::LinuxProcesses processes{loop.get_executor()};

    World() = default;
    ~World() { run(processes.close()); }

    void run(hub::awaitable<void> body, std::chrono::seconds limit = 60s) {
        tests::run(loop, std::move(body), limit);
    }
};

inline hub::Command command(std::vector<std::string> argv) {
    return {std::move(argv), "/", {}, {{"PATH", "/usr/bin:/bin"}}, {}};
}
inline hub::Command shell(std::string script) { return command({"/bin/bash", "-c", std::move(script)}); }

struct Output {
    std::string text;
    hub::Exit exit;
};

inline hub::awaitable<Output> finish(hub::Process& process) {
    Output output;
    for (std::string piece; !(piece = co_await process.read_some()).empty();) output.text += piece;
    output.exit = co_await process.wait();
    co_return output;
}

inline hub::awaitable<std::string> read_line(hub::Process& process) {
    std::string line;
    while (line.empty() || line.back() != '\n') {
        const auto piece = co_await process.read_some(1);
        if (piece.empty()) break;
        line += piece;
    }
    if (!line.empty()) line.pop_back();
    co_return line;
}

// Looks again until it is true: for what only the kernel can tell, such as "that process is blocked now".
inline hub::awaitable<bool> becomes_true(std::function<bool()> condition,
                                         std::chrono::milliseconds limit = 5s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) co_return false;
        co_await pause(2ms);
    }
    co_return true;
}

inline bool alive(pid_t pid) {
    const auto stat = process::read_stat(pid);
    return stat && stat->state != 'Z';
}

inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator fds("/proc/self/fd"), end;
    return static_cast<std::size_t>(std::distance(fds, end));
}

}  // namespace plexus::tests
