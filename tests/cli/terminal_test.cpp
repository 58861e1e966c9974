#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

using Catch::Contains;

namespace {

const Program::Setting at_terminal{{}, {{"NO_COLOR", "1"}}, true};

}  // namespace

TEST_CASE("on a terminal a person sees words, not JSON", "[cli]") {
    const Daemon daemon;
    CHECK(daemon.ctl({"call", "echo.once", "--message", "hi"}, at_terminal).out ==
          "echo  count: 1  message: hi\r\n");
    CHECK(daemon.ctl({"call", "echo.once", "--message", "\x1b[2J"}, at_terminal).out ==
          "echo  count: 1  message: \\x1b[2J\r\n");
    CHECK(daemon.ctl({"--json", "call", "echo.once", "--message", "hi"}, at_terminal)
              .lines()
              .at(0)["message"] == "hi");
    CHECK_THAT(daemon.ctl({"health"}, at_terminal).out, Contains("healthy, up "));
    CHECK_THAT(daemon.ctl({"schema", "echo.once"}, at_terminal).out,
               Contains("--message  string  required  What to say back"));
}

TEST_CASE("colours are for terminals that want them", "[cli]") {
    const Daemon daemon;
    const Words words{"call", "echo.once", "--message", "hi"};
    const auto coloured = [&](std::map<std::string, std::string> environment) {
        return daemon.ctl(words, {{}, std::move(environment), true}).out.find("\x1b[") != std::string::npos;
    };
    CHECK(coloured({}));
    CHECK(!coloured({{"NO_COLOR", "1"}}));
    CHECK(!coloured({{"TERM", "dumb"}}));
}

TEST_CASE("a question is asked at the terminal until the answer makes sense", "[cli]") {
    const Daemon daemon;
    const auto [typed, result] = GENERATE(
        table<std::string, std::string>({{"yes\n", "confirmed"}, {"\n", "declined"}, {"\x04", "declined"}}));
    Program program(daemon.words_for({"call", "echo.confirm", "--message", "Sure?"}), at_terminal);
    program.read_until("Sure? [y/N] ");
    program.type("perhaps\n");
    program.read_until("perhaps\r\nSure? [y/N] ");
    program.type(typed);
    CHECK(program.finish() == 0);
    CHECK_THAT(program.out, Contains(result + "  message: Sure?"));
}

TEST_CASE("without a terminal a question takes its default", "[cli]") {
    const Daemon daemon;
    const auto run = daemon.ctl({"call", "echo.confirm", "--message", "Sure?"}, {"y\n", {}, false});
    CHECK(run.status == 0);
    CHECK(run.lines().at(0)["type"] == "declined");
}

}  // namespace plexus::tests
