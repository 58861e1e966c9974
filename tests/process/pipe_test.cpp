// Input, output and stderr of a child, under load and with children that do not let go.
#include "schema/error.hpp"
#include "tests/process/world.hpp"

#include <fcntl.h>

#include <fstream>

namespace plexus::tests {

namespace {

std::uint64_t bytes_written(pid_t pid) {
    std::ifstream io("/proc/" + std::to_string(pid) + "/io");
    for (std::string name; io >> name;) {
        if (name == "wchar:") {
            std::uint64_t count = 0;
            io >> count;
            return count;
        }
    }
    return 0;
}

// Another end of a child's pipe, held by somebody who is not its descendant: us.
process::Descriptor open_pipe(pid_t pid, int number, int mode) {
    const auto path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
    return process::Descriptor(::open(path.c_str(), mode | O_CLOEXEC));
}

hub::awaitable<std::string> write_failure(hub::Process& process, std::size_t size) {
    try {
        co_await process.write(std::string(size, 'x'));
    } catch (const schema::Failure& failure) {
        co_return failure.error().reason;
    }
    co_return "written";
}

}  // namespace

TEST_CASE_METHOD(World, "a child waits while we do not read, and 100 MB arrive complete", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(command({"dd", "if=/dev/zero", "bs=1000", "count=100000"}));
        const auto pid = child->pid();
        // dd's start-up writes nothing, so its count is what went into the pipe.
        REQUIRE(co_await becomes_true([&] { return bytes_written(pid) >= 60'000; }));
        co_await pause(100ms);
        CHECK(bytes_written(pid) <= 65'536);
        CHECK(alive(pid));
        std::size_t total = 0;
        std::string buffer(256 * 1024, '\0');
        while (const auto n = co_await child->read_stdout(boost::asio::buffer(buffer))) total += n;
        CHECK(total == 100'000'000);
        CHECK((co_await child->wait()).clean());
    }());
}

TEST_CASE_METHOD(World, "10 MB go to stdin, and writers do not mix", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(command({"tr", "-s", "ab"}));
        hub::TaskGroup writers(co_await boost::asio::this_coro::executor);
        for (const char letter : {'a', 'b'}) {
            writers.spawn([&child, letter] { return child->write(std::string(4'999'999, letter) + "\n"); });
        }
        co_await writers.join();
        child->close_stdin();
        CHECK((co_await finish(*child)).text == "a\nb\n");  // runs of a letter squeezed into one
    }());
}

TEST_CASE_METHOD(World, "a write to a child that does not read any more fails, whoever holds the pipe",
                 "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto closed = processes.spawn(shell("exec <&-; echo closed; sleep 1000"));
        CHECK(co_await read_line(*closed) == "closed");
        CHECK(co_await write_failure(*closed, 10) == "stdin_closed");

        // The reader is gone, but a stranger keeps the pipe open without reading it.
        const auto held = processes.spawn(shell("echo up; exec sleep 0.1"));
        CHECK(co_await read_line(*held) == "up");
        const auto stranger = open_pipe(held->pid(), 0, O_RDONLY);
        REQUIRE(stranger);
        CHECK(co_await write_failure(*held, 1'000'000) == "stdin_closed");

        const auto ours = processes.spawn(shell("sleep 1000"));
        ours->close_stdin();
        CHECK(co_await write_failure(*ours, 10) == "stdin_closed");
    }());
}

TEST_CASE_METHOD(World, "reads end soon after the exit although a grandchild holds stdout", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child =
            processes.spawn(shell("(trap '' TERM; exec setsid sleep 1000) & echo said; exit 3"));
        const auto started = std::chrono::steady_clock::now();
        const auto output = co_await finish(*child);
        CHECK(output.text == "said\n");
        CHECK(output.exit.code == 3);
        CHECK(std::chrono::steady_clock::now() - started < hub::drain_time + 500ms);
    }());
}

TEST_CASE_METHOD(World, "reads end two seconds after the exit although a stranger holds stdout",
                 "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(command({"sh", "-c", "echo said; read line; exit 3"}));
        CHECK(co_await read_line(*child) == "said");
        const auto stranger = open_pipe(child->pid(), 1, O_WRONLY);
        REQUIRE(stranger);
        child->close_stdin();
        CHECK((co_await child->wait()).code == 3);
        const auto exited = std::chrono::steady_clock::now();
        CHECK(co_await child->read_some() == "");
        const auto waited = std::chrono::steady_clock::now() - exited;
        CHECK(waited > hub::drain_time - 100ms);
        CHECK(waited < hub::drain_time + 500ms);
        // From then on it is the end, whatever is written.
        REQUIRE(::write(stranger.get(), "late", 4) == 4);
        CHECK(co_await child->read_some() == "");
    }());
}

TEST_CASE_METHOD(World, "what was written before the exit is read after it, however late", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(shell("head -c 60000 /dev/zero; exit 5"));
        CHECK((co_await child->wait()).code == 5);
        CHECK((co_await finish(*child)).text.size() == 60'000);
    }());
}

TEST_CASE_METHOD(World, "the tail of stderr is bounded and complete at the exit", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto chatty = processes.spawn(
            shell("head -c 5000000 /dev/zero | tr '\\0' e >&2; printf 'last words' >&2; exit 1"));
        co_await chatty->wait();
        const auto tail = chatty->stderr_tail();
        CHECK(tail.text.size() == hub::tail_size);
        CHECK(tail.text.substr(tail.text.size() - 12) == "eelast words");
        CHECK(tail.dropped == 5'000'010 - hub::tail_size);

        const auto brief = processes.spawn(shell("echo oops >&2"));
        co_await brief->wait();
        CHECK(brief->stderr_tail().text == "oops\n");
        CHECK(brief->stderr_tail().dropped == 0);
    }());
}

TEST_CASE_METHOD(World, "a cancelled read leaves the child and later reads alone", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(command({"cat"}));
        hub::TaskGroup readers(co_await boost::asio::this_coro::executor);
        bool returned = false;
        readers.spawn([&]() -> hub::awaitable<void> {
            co_await child->read_some();
            returned = true;
        });
        co_await pause(10ms);
        co_await readers.cancel_and_join();
        CHECK_FALSE(returned);
        co_await child->write("still there\n");
        CHECK(co_await read_line(*child) == "still there");
    }());
}

}  // namespace plexus::tests
