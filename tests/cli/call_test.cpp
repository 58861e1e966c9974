#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

#include <csignal>

namespace plexus::tests {

using Catch::Contains;

TEST_CASE("a call prints every item as one line of JSON when nobody watches", "[cli]") {
    const Daemon daemon;
    const auto run = daemon.ctl({"call", "echo.echo", "--message", "hi", "--count=3", "--interval-ms", "0"});
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    REQUIRE(run.lines().size() == 3);
    CHECK(run.lines()[2] == Json({{"type", "echo"}, {"message", "hi"}, {"count", 3}}));
}

TEST_CASE("nested paths, JSON, standard input and options anywhere all make a call", "[cli]") {
    const Daemon daemon;
    const auto said = [](const Ran& run) {
        return run.status == 0 ? run.lines().at(0).value("message", "") : run.err;
    };
    CHECK(said(daemon.ctl({"call", "echo.once", R"({"message": "a"})"})) == "a");
    CHECK(said(daemon.ctl({"call", "echo.once", "-"}, {R"({"message": "b"})", {}, false})) == "b");
    CHECK(said(daemon.ctl({"call", "--json", "echo.once", "--timeout", "20", "--message", "c"})) == "c");
    CHECK(said(daemon.ctl({"call", "substrate.echo.once", "--message=--json"})) == "--json");
    CHECK(said(plexusctl({"call", "echo.once", "--message", "d", "--state-dir", daemon.state_dir()})) == "d");
    CHECK(daemon.ctl({"call", "echo.cave.wall.say", "--text", "deep"}).lines().at(0)["text"] == "deep");
    CHECK(daemon.ctl({"call", "_info"}).lines().at(0)["backend"] == "substrate");
    CHECK(daemon.ctl({"call", "echo.schema", "--method", "once"}).lines().at(0)["name"] == "once");
    CHECK(daemon.ctl({"call", "health.hash"}).lines().at(0)["event"] == "hash");
}

TEST_CASE("a handle may be given in its text form", "[cli]") {
    const Daemon daemon;
    const auto handle = daemon.ctl({"call", "echo.cave.wall.say", "--text", "x"}).lines().at(0)["handle"];
    const auto text = handle["plugin_id"].get<std::string>() + "@1.0.0::said:x";
    const auto by_text = daemon.ctl({"call", "substrate.resolve_handle", "--handle", text});
    CHECK(by_text.lines() ==
          daemon.ctl({"call", "substrate.resolve_handle", "--handle", handle.dump()}).lines());
    CHECK(by_text.lines().at(0)["text"] == "x");
}

TEST_CASE("every way to fail has its exit code and a sentence with its reason", "[cli]") {
    const Daemon daemon;
    const auto [words, status, sentence] = GENERATE(table<Words, int, std::string>({
        {{"call", "echo.once", "--mesage", "x"}, 2, "--mesage is unknown (did you mean `message`?)"},
        {{"call", "echo.once"}, 2, "--message is missing (string: What to say back) (usage)"},
        {{"call", "echo.echo", "--message", "x", "--count", "-1"}, 2, "--count must not be below 0"},
        {{"call"}, 2, "METHOD is required"},
        {{"call", "echo.once", "{"}, 2, "{ is no JSON object"},
        {{"call", "echo.once", "--timeout", "soon"}, 2, "--timeout"},
        {{"heelth"}, 2, "There is no command heelth (did you mean `health`?)"},
        {{}, 2, "subcommand"},
        {{"health", "--nonsense"}, 2, "--nonsense"},
        {{"call", "nope.x"}, 5, "Activation not found: nope (activation_not_found)"},
        {{"call", "echo.onc", "--message", "x"},
         5,
         "Method not found: echo.onc (did you mean `once`?) (method_not_found)"},
        {{"call", "echo.cave"}, 5, "echo.cave is an activation, not a method"},
        {{"schema", "nope"}, 5, "(activation_not_found)"},
        {{"--token", "wrong", "health"}, 4, "does not know the token from --token (unauthenticated)"},
    }));
    const auto run = daemon.ctl(words);
    CHECK(run.status == status);
    CHECK_THAT(run.err, Contains(sentence));
    CHECK(run.out.empty());
}

TEST_CASE("what only the daemon can refuse is told once to a person and in full to a program", "[cli]") {
    const Daemon daemon;
    const Words words{"call", "registry.register", "--name", "x", "--host", "h", "--port", "99999"};
    const auto piped = daemon.ctl(words);
    CHECK(piped.status == 2);
    CHECK_THAT(piped.err, Contains("/port must be an integer from 0 to 65535, not 99999 (invalid_params)"));
    CHECK(piped.lines().at(0)["type"] == "error");
    const auto shown = daemon.ctl(words, {{}, {{"NO_COLOR", "1"}}, true}).out;
    CHECK(shown.find("99999") == shown.rfind("99999"));
}

TEST_CASE("items are shown as they come, and an interrupt ends the call with 130", "[cli]") {
    const Daemon daemon;
    Program program(
        daemon.words_for({"call", "echo.echo", "--message", "hi", "--count", "2", "--interval_ms", "60000"}),
        {});
    program.read_until("\"count\":1");
    program.signal(SIGINT);
    CHECK(program.finish() == 130);
}

TEST_CASE("a call that takes longer than --timeout ends with 124", "[cli]") {
    const Daemon daemon;
    const auto run = daemon.ctl({"--timeout", "0.3", "call", "echo.echo", "--message", "hi", "--count", "2",
                                 "--interval_ms", "60000"});
    CHECK(run.status == 124);
    CHECK(run.lines().size() == 1);
    CHECK_THAT(run.err, Contains("(timeout)"));
}

TEST_CASE("a daemon that goes away in mid-call is told apart from a call that failed", "[cli]") {
    const auto [number, status, reason] = GENERATE(
        table<int, int, std::string>({{SIGTERM, 1, "(shutting_down)"}, {SIGKILL, 3, "(not_reachable)"}}));
    const Daemon daemon;
    Program program(
        daemon.words_for({"call", "echo.echo", "--message", "hi", "--count", "2", "--interval_ms", "60000"}),
        {});
    program.read_until("\"count\":1");
    daemon.program().signal(number);
    CHECK(program.finish() == status);
    CHECK_THAT(program.err, Contains(reason));
}

TEST_CASE("a long stream arrives whole and in order", "[cli]") {
    const Daemon daemon;
    const auto run = daemon.ctl(
        {"call", "echo.echo", "--message", std::string(100, 'x'), "--count", "5000", "--interval_ms", "0"});
    CHECK(run.status == 0);
    const auto lines = run.lines();
    REQUIRE(lines.size() == 5000);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i]["count"] != i + 1) FAIL("item " << i << " is " << lines[i].dump());
}

}  // namespace plexus::tests
