// Child processes as a port: what an activation asks for and what it may rely on, whatever the child does.
// daemon/process implements it on Linux; tests/support/fake_process.hpp scripts misbehaviour.
//
// Everything here belongs to the loop thread. A child is never trusted for its end of file, its exit or its
// silence: no read waits longer than `drain_time` after the exit, and whoever drops a Process kills its tree.
#pragma once

#include "hub/async.hpp"
#include "schema/codec.hpp"

#include <boost/asio/buffer.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plexus::hub {

using Environment = std::map<std::string, std::string>;

struct Command {
    // Core dumps are always off; what is not set is inherited.
    struct Limits {
        std::optional<std::uint64_t> open_files;
        std::optional<std::uint64_t> file_size;      // bytes; beyond it the child gets SIGXFSZ
        std::optional<std::uint64_t> address_space;  // bytes
    };

    std::vector<std::string> argv;   // no shell; argv[0] with a slash is a path, else it is looked up in PATH
    std::string directory;           // must exist
    std::vector<std::string> roots;  // if any: the directory, as it is when we start, lies under one of them
    Environment environment;         // complete: nothing is inherited. PATH for the look-up comes from here
    Limits limits;
};

// How a process ended: exactly one of the two is set.
struct Exit {
    std::optional<int> code;
    std::optional<int> signal;
    bool clean() const { return code == 0; }
};

// The last bytes of stderr, for people; `dropped` counts what came before them.
struct Tail {
    std::string text;
    std::uint64_t dropped = 0;
};
inline constexpr std::size_t tail_size = 8 * 1024;

// What the next life of the daemon needs to find this child's tree again, and nothing else by mistake.
struct ProcessRecord {
    int pid = 0;
    std::uint64_t started = 0;
    std::string boot;
    std::string tree;
};
DESCRIBE(ProcessRecord, (pid, "The process, also its process group"),
         (started,
          "The kernel's start time in clock ticks: tells it from a later process of the same number"),
         (boot, "The boot that start time counts from"),
         (tree, "The value of AGENT_TREE in the environment of all its descendants"))

// The rungs of end(): stdin is closed, then SIGINT, SIGTERM and SIGKILL follow, each after the wait before
// it. What the child leaves behind gets SIGTERM when it is gone, and SIGKILL `leftovers` later.
struct Ladder {
    std::chrono::milliseconds end_of_file{1000};
    std::chrono::milliseconds interrupt{2000};
    std::chrono::milliseconds terminate{2000};
    std::chrono::milliseconds leftovers{1000};
};
inline constexpr Ladder at_once{{}, {}, {}, {}};

inline constexpr std::chrono::milliseconds drain_time{2000};

class Process {
public:
    virtual ~Process() = default;  // still running: the whole tree is killed and reaped behind the scenes

    virtual int pid() const = 0;
    virtual ProcessRecord record() const = 0;

    // 0 is the end. One reader at a time; not reading stops the child once its pipe is full.
    virtual awaitable<std::size_t> read_stdout(asio::mutable_buffer into) = 0;
    awaitable<std::string> read_some(std::size_t limit = 64 * 1024) {
        std::string text(limit, '\0');
        text.resize(co_await read_stdout(asio::buffer(text)));
        co_return text;
    }

    // Returns when the pipe took all of it; writes of several callers do not mix. Throws Failure
    // "stdin_closed" when nobody can read it any more. A cancelled write may have written a part.
    virtual awaitable<void> write(std::string text) = 0;
    virtual void close_stdin() = 0;

    virtual void signal(int number) = 0;  // this process only; nothing happens once it is gone
    virtual awaitable<Exit> wait() = 0;
    virtual std::optional<Exit> exit() const = 0;
    virtual Tail stderr_tail() const = 0;  // complete as soon as the exit is known

    // Climbs the ladder until the process and everything it started are gone.
    virtual awaitable<Exit> end(Ladder ladder) = 0;
};

class Processes {
public:
    virtual ~Processes() = default;
    // Throws Failure "spawn_failed" with a sentence that says what was wrong; `recoverable` if it may pass.
    virtual std::unique_ptr<Process> spawn(const Command& command) = 0;
    // Kills what an earlier life of the daemon left running; returns how many processes that were.
    virtual awaitable<std::size_t> sweep(std::vector<ProcessRecord> records) = 0;
};

}  // namespace plexus::hub
