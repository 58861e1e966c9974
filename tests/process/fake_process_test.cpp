// The fake keeps the port's promises, so that what passes with it also passes with real processes.
#include "tests/support/fake_process.hpp"

#include "tests/support/loop.hpp"

namespace plexus::tests {

TEST_CASE("the fake child talks, ends at the rung it obeys and outlives nobody", "[process][fake]") {
    boost::asio::io_context loop(1);
    FakeProcesses processes(loop.get_executor());
    processes.on_spawn = [](FakeChild& child) {
        child.on_line = [](FakeChild& self, const std::string& line) { self.say("echo " + line + "\n"); };
    };
    run(loop, [&]() -> hub::awaitable<void> {
        auto process = processes.spawn({{"claude"}, "/", {}, {}, {}});
        co_await process->write("one\ntw");
        CHECK(co_await process->read_some() == "echo one\n");
        co_await process->write("o\n");
        CHECK(co_await process->read_some() == "echo two\n");

        processes.last().ignores = {0, SIGINT};
        CHECK((co_await process->end({})).code == 143);
        CHECK(processes.last().signals == std::vector<int>{SIGINT, SIGTERM});
        CHECK(co_await process->read_some() == "");

        process = processes.spawn({{"claude"}, "/", {}, {}, {}});
        process.reset();
        CHECK(processes.last().dropped);
        CHECK(processes.last().exit()->signal == SIGKILL);
    }());
}

}  // namespace plexus::tests
