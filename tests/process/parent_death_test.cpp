// The daemon dies without a word: what its children do, and what its next life finds.
#include "daemon/process/sweep.hpp"
#include "schema/codec.hpp"
#include "tests/process/world.hpp"

#include <poll.h>
#include <sys/syscall.h>

#include <array>

namespace plexus::tests {

namespace {

// Another daemon: starts one child with the script, tells us its record, and waits for its death.
struct Victim {
    pid_t pid = -1;
    hub::ProcessRecord child;

    explicit Victim(const std::string& script) {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        pid = ::fork();
        if (pid == 0) live(script, ends[1]);
        ::close(ends[1]);
        std::string text;
        for (char letter; ::read(ends[0], &letter, 1) == 1 && letter != '\n';) text += letter;
        ::close(ends[0]);
        child = schema::decode<hub::ProcessRecord>(schema::Json::parse(text)).value();
    }
    void kill() const {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }

    [[noreturn]] static void live(const std::string& script, int report) {
        boost::asio::io_context loop(1);
        process::LinuxProcesses processes(loop.get_executor());
        const auto process = processes.spawn(shell(script));
        boost::asio::co_spawn(
            loop,
            [&]() -> hub::awaitable<void> {
                co_await read_line(*process);
                const auto line = schema::encode(process->record()).dump() + '\n';
                if (::write(report, line.data(), line.size()) < 0) ::_exit(1);
            },
            [](std::exception_ptr failure) {
                if (failure) ::_exit(1);
            });
        loop.run();
        ::_exit(0);
    }
};

bool ends_within(pid_t pid, std::chrono::milliseconds limit) {
    const process::Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!handle) return true;
    pollfd wait{handle.get(), POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(limit.count())) == 1;
}

}  // namespace

TEST_CASE("a killed daemon takes its child along", "[process]") {
    const Victim daemon("trap '' TERM INT HUP; echo ready; exec sleep 1000");
    CHECK(alive(daemon.child.pid));
    daemon.kill();
    CHECK(ends_within(daemon.child.pid, 2s));
    ::waitpid(daemon.child.pid, nullptr, 0);  // it may have been handed to us
}

TEST_CASE_METHOD(World, "the next life finds and kills what survived in sessions of its own", "[process]") {
    const Victim daemon("setsid sleep 1000 & (setsid sleep 1001 &); sleep 0.1; echo ready; wait");
    const auto below = process::descendants(daemon.child.pid);
    CHECK(below.size() == 2);
    daemon.kill();
    CHECK(process::survivors({daemon.child}).size() == 2);
    run([&]() -> hub::awaitable<void> {
        CHECK(co_await processes.sweep({daemon.child}) == 2);
        for (const auto pid : below) CHECK_FALSE(alive(pid));
        CHECK(co_await processes.sweep({daemon.child}) == 0);
    }());
}

TEST_CASE_METHOD(World, "a sweep never kills a process that only has the number of a recorded one",
                 "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto innocent = processes.spawn(shell("echo ready; sleep 1000"));
        co_await read_line(*innocent);
        auto later = innocent->record();
        later.started -= 1;
        later.tree = "another";
        auto other_boot = innocent->record();
        other_boot.boot = "00000000-0000-0000-0000-000000000000";
        other_boot.tree = "another";
        auto nameless = later;
        nameless.tree.clear();
        CHECK(co_await processes.sweep({later, other_boot, nameless}) == 0);
        CHECK(alive(innocent->pid()));

        auto stat = process::read_stat(innocent->pid()).value();
        stat.started += 1;
        CHECK_FALSE(process::kill_exactly(stat));
        CHECK(alive(innocent->pid()));
        CHECK(co_await processes.sweep({innocent->record()}) == 1);  // the control: the true record does
    }());
}

}  // namespace plexus::tests
