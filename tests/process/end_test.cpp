// The end of children: asked for, forced, forgotten, and many at once.
#include "tests/process/world.hpp"

#include <algorithm>
#include <fstream>

namespace plexus::tests {

namespace {

constexpr hub::Ladder quick{200ms, 200ms, 200ms, 200ms};

// A command that says when it is ready, so that a signal cannot come before its trap.
hub::awaitable<std::unique_ptr<hub::Process>> ready(World& world, std::string script) {
    auto child = world.processes.spawn(shell(script));
    CHECK(co_await read_line(*child) == "ready");
    co_return child;
}

std::ptrdiff_t sleepers() {
    return std::ranges::count_if(process::descendants(::getpid()), [](pid_t pid) {
        std::string name;
        std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> name;
        return name == "sleep";
    });
}

std::vector<pid_t> left() { return process::descendants(::getpid()); }

}  // namespace

TEST_CASE_METHOD(World, "the ladder stops at the rung that works", "[process]") {
    const auto row = GENERATE(table<std::string, std::optional<int>, std::optional<int>>({
        {"echo ready; cat", 0, {}},
        {"trap 'exit 2' INT; echo ready; while :; do sleep 0.01; done", 2, {}},
        {"trap '' INT; trap 'exit 15' TERM; echo ready; while :; do sleep 0.01; done", 15, {}},
        {"trap '' INT TERM; echo ready; while :; do sleep 0.01; done", {}, SIGKILL},
    }));
    run([&]() -> hub::awaitable<void> {
        const auto& [script, code, signal] = row;
        const auto child = co_await ready(*this, script);
        const auto exit = co_await child->end(quick);
        CHECK(exit.code == code);
        CHECK(exit.signal == signal);
        CHECK(left().empty());
    }());
}

TEST_CASE_METHOD(World, "the end takes the whole tree: deaf children, new sessions, orphans of orphans",
                 "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = co_await ready(*this, R"x(
            trap '' INT TERM
            setsid sleep 1000 &
            (trap '' TERM; exec setsid sleep 1001) &
            (setsid bash -c "trap '' TERM; sleep 1002 & sleep 1003" &)
            env -i /usr/bin/setsid /bin/sleep 1004 &
            echo ready
            while :; do wait; done)x");
        // Itself, five sleepers and the shell of two of them: all have done their exec by then.
        REQUIRE(co_await becomes_true([&] { return sleepers() == 5 && left().size() == 7; }));
        const auto started = std::chrono::steady_clock::now();
        CHECK((co_await child->end(quick)).signal == SIGKILL);
        CHECK(left().empty());
        CHECK(std::chrono::steady_clock::now() - started < 2s);
    }());
}

TEST_CASE_METHOD(World, "what a child leaves behind when it exits by itself goes too, others are not touched",
                 "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto neighbour =
            co_await ready(*this, "(setsid sleep 1000 >&- 2>&- &); echo ready; sleep 1000");
        const auto below = process::descendants(neighbour->pid());
        REQUIRE(below.size() == 1);  // the orphan stayed with the one that started it
        const auto child = processes.spawn(shell("setsid sleep 1001 & (setsid sleep 1002 &) ; exit 0"));
        co_await child->wait();
        const auto before = std::chrono::steady_clock::now();
        co_await child->end(quick);  // already gone: waits for its leftovers only
        CHECK(std::chrono::steady_clock::now() - before < 1s);
        CHECK(left().size() == below.size() + 1);
        CHECK(alive(neighbour->pid()));
        for (const auto pid : below) CHECK(alive(pid));
    }());
}

TEST_CASE_METHOD(World, "a dropped process is killed and reaped", "[process]") {
    run([&]() -> hub::awaitable<void> {
        auto child = co_await ready(
            *this, "trap '' INT TERM; setsid sleep 1000 & echo ready; while :; do sleep 1; done");
        CHECK(left().size() >= 2);
        child.reset();
        CHECK(co_await becomes_true([] { return left().empty(); }));
    }());
}

TEST_CASE_METHOD(World, "a child that forks as fast as it can is brought down", "[process]") {
    run([&]() -> hub::awaitable<void> {
        // Each link starts the next one in a new session and goes: no list of processes stays true for long.
        const auto child = co_await ready(*this, R"(
            trap '' TERM; link() { sleep 0.002; link & }; echo ready; (link); sleep 1000)");
        co_await pause(50ms);
        co_await child->end(hub::at_once);
        CHECK(left().empty());
    }());
}

TEST_CASE_METHOD(World, "1 000 children leave no child, no zombie and no descriptor", "[process]") {
    run([&]() -> hub::awaitable<void> {
        co_await finish(*processes.spawn(command({"/bin/true"})));  // what is opened once is open now
        const auto before = open_descriptors();
        for (int i = 0; i < 200; ++i) {
            std::vector<std::unique_ptr<hub::Process>> batch;
            for (int j = 0; j < 5; ++j) batch.push_back(processes.spawn(command({"/bin/true"})));
            for (const auto& child : batch) CHECK((co_await finish(*child)).exit.clean());
        }
        CHECK(co_await becomes_true([&] { return left().empty(); }));
        CHECK(open_descriptors() == before);
    }());
}

TEST_CASE_METHOD(World, "children we were born with are neither killed nor left as zombies", "[process]") {
    const auto stranger = ::fork();
    if (stranger == 0) {
        ::execl("/bin/sleep", "sleep", "1000", nullptr);
        ::_exit(127);
    }
    run([&]() -> hub::awaitable<void> {
        process::LinuxProcesses later(loop.get_executor());
        const auto child = later.spawn(shell("exit 0"));
        co_await child->end(quick);
        CHECK(alive(stranger));
        ::kill(stranger, SIGKILL);
        CHECK(co_await becomes_true([&] { return !process::read_stat(stranger); }));
        co_await later.close();
    }());
}

}  // namespace plexus::tests
