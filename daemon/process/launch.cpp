#include "daemon/process/launch.hpp"

#include "daemon/process/birth.hpp"
#include "daemon/process/lineage.hpp"
#include "daemon/process/plan.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

// libc's clone() by its other name: the thread sanitizer replaces the first with one for children that do not
// share our memory.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...) noexcept;

namespace plexus::process {

namespace {

void set_limits(Birth& birth, const hub::Command::Limits& limits) {
    const auto add = [&](int resource, std::uint64_t value) {
        rlimit64 now{};
        ::prlimit64(0, static_cast<__rlimit_resource>(resource), nullptr, &now);
        value = std::min<std::uint64_t>(value, now.rlim_max);
        birth.limits[birth.limit_count++] = {resource, {value, value}};
    };
    add(RLIMIT_CORE, 0);
    if (limits.open_files) add(RLIMIT_NOFILE, *limits.open_files);
    if (limits.file_size) add(RLIMIT_FSIZE, *limits.file_size);
    if (limits.address_space) add(RLIMIT_AS, *limits.address_space);
}

std::string random_name() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
    std::string text;
    for (const auto byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

struct Pipe {
    Descriptor read, write;
};

// Numbers above 2 even if the daemon was started with its own standard descriptors closed: the child's dup3
// would otherwise overwrite one end with another.
Pipe make_pipe(const hub::Command& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC))
        refuse(command, std::string("no pipe: ") + std::strerror(errno), errno);
    Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
    for (auto* end : {&made.read, &made.write}) {
        if (end->get() > 2) continue;
        Descriptor higher(::fcntl(end->get(), F_DUPFD_CLOEXEC, 3));
        if (!higher) refuse(command, std::string("no pipe: ") + std::strerror(errno), errno);
        *end = std::move(higher);
    }
    return made;
}

// Blocks every signal while the child runs in our memory: a handler must not run twice at once in it.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

[[noreturn]] void explain(const hub::Command& command, const std::string& program, const char* step,
                          int error) {
    const bool exec = step == std::string_view("exec");
    const std::string reason = std::strerror(error);
    if (exec && error == ENOENT) {
        const bool there = ::access(program.c_str(), F_OK) == 0;
        refuse(command, there ? "the interpreter its first line names is missing" : "no such file", error);
    }
    if (exec && error == EACCES) refuse(command, "it is not executable (" + reason + ")", error);
    if (exec && error == ENOEXEC)
        refuse(command, "it is not a program this machine can run (" + reason + ")", error);
    if (exec && error == E2BIG) {
        std::size_t largest = 0;
        for (const auto& argument : command.argv) largest = std::max(largest, argument.size());
        refuse(command,
               "its command line is too long (largest argument: " + std::to_string(largest) + " bytes)",
               error);
    }
    if (error == EAGAIN)
        refuse(command, "this user or system may not have more processes (" + reason + ")", error);
    refuse(command, std::string(step) + ": " + reason, error);
}

}  // namespace

Launched launch(const hub::Command& command) {
    const auto tree = random_name();
    auto ready = plan(command, tree);
    auto argv = ready.argv();
    auto envp = ready.envp();
    auto in = make_pipe(command), out = make_pipe(command), err = make_pipe(command);

    Birth birth;
    birth.parent = ::getpid();
    birth.directory = ready.directory.get();
    birth.standard = {in.read.get(), out.write.get(), err.write.get()};
    birth.program = ready.program.c_str();
    birth.argv = argv.data();
    birth.envp = envp.data();
    set_limits(birth, command.limits);

    constexpr std::size_t stack_size = 32 * 1024;
    const auto stack = std::make_unique<std::byte[]>(stack_size);
    int pidfd = -1;
    pid_t pid = -1;
    {
        const SignalsBlocked blocked;
        pid = ::__clone(become_program, stack.get() + stack_size,
                        CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &birth, &pidfd);
        if (pid < 0) birth.error = errno, birth.step = "clone";
    }
    Descriptor exit(pidfd);
    if (birth.error) {
        if (pid > 0) ::waitpid(pid, nullptr, 0);
        explain(command, ready.program, birth.step, birth.error);
    }
    const auto stat = read_stat(pid);  // even if it has ended already: it is not reaped yet
    return {{pid, stat ? stat->started : 0, boot_id(), tree},
            std::move(exit),
            std::move(in.write),
            std::move(out.read),
            std::move(err.read)};
}

}  // namespace plexus::process
