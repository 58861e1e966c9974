#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

namespace plexus::tests {

using Catch::Contains;

TEST_CASE("tree draws the activations, nested ones too, and their methods on demand", "[cli]") {
    const Daemon daemon;
    const auto plain = daemon.ctl({"tree"}).out, verbose = daemon.ctl({"tree", "-v"}).out;
    CHECK_THAT(plain, Contains("substrate  Central routing and introspection\n"));
    CHECK_THAT(plain, Contains("│       └── wall  Remembers what it was told"));
    CHECK_THAT(plain, !Contains("once"));
    CHECK_THAT(verbose, Contains("│   ├── once (message)  Echo a message once\n"));
    CHECK_THAT(daemon.ctl({"tree", "echo.cave"}).out, Contains("cave  A hub within the hub\n└── wall"));
    const auto json = daemon.ctl({"tree", "--json"}).lines().at(0);
    CHECK(json["children"].size() >= 4);
    CHECK(json["path"] == "");
}

TEST_CASE("schema describes the hub, an activation and a method", "[cli]") {
    const Daemon daemon;
    CHECK(daemon.ctl({"schema"}).lines().at(0)["namespace"] == "substrate");
    CHECK(daemon.ctl({"schema", "echo.cave.wall"}).lines().at(0)["namespace"] == "wall");
    CHECK(daemon.ctl({"schema", "echo.cave.wall.say"}).lines().at(0)["name"] == "say");
    CHECK(daemon.ctl({"call", "echo.cave.wall.say", "--help"}).out ==
          "echo.cave.wall.say  Say something and get a handle to it\n"
          "  --text  string  required  What to say to the wall\n"
          "  → said  handle: Handle, text: string\n"
          "  scope read\n");
    CHECK_THAT(daemon.ctl({"call", "echo.echo", "--help"}).out, Contains("integer  default 1 "));
}

TEST_CASE("info and health tell about the daemon that answers", "[cli]") {
    const Daemon daemon;
    const auto info = daemon.ctl({"info"}).lines().at(0);
    CHECK(info["hub"] == "substrate");
    CHECK(info["address"] == "unix:" + daemon.socket());
    CHECK(info["scopes"] == Json({"read", "chat", "approve", "admin"}));
    const auto health = daemon.ctl({"health"});
    CHECK(health.status == 0);
    CHECK(health.lines().at(0)["status"] == "healthy");
}

TEST_CASE("doctor finds nothing wrong with a daemon that is well", "[cli]") {
    const Daemon daemon;
    const auto run = daemon.ctl({"doctor"});
    CHECK(run.status == 0);
    CHECK_THAT(run.out, Contains("answers at unix:" + daemon.socket()));
    CHECK_THAT(run.out, !Contains("BAD"));
}

TEST_CASE("doctor says what is wrong and what to do", "[cli]") {
    const Directory home;
    const auto state = (home.path() / "state").string();
    fs::create_directory(state);
    fs::permissions(state, fs::perms::all);
    const auto config = home.path() / "plexusd.toml";
    std::ofstream(config) << "[server]\nallowed_origin = []\n";
    fs::permissions(config, fs::perms::owner_read);
    const auto run = plexusctl({"--state-dir", state, "doctor"}, {{}, {{"PLEXUS_CONFIG", config}}, false});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("did you mean `allowed_origins`?"));
    CHECK_THAT(run.out, Contains("chmod 700 " + state));
    CHECK_THAT(run.out, Contains("There is no token"));
    CHECK_THAT(run.out, Contains("No daemon answers"));
    CHECK(plexusctl({"--state-dir", home.path(), "doctor"}).status == 3);
}

TEST_CASE("bash completes commands, paths and parameters", "[cli]") {
    const Daemon daemon;
    const auto completed = [&](const std::string& words) {
        const auto script = "source <(plexusctl completion bash); COMP_WORDS=(plexusctl --state-dir " +
                            daemon.state_dir().string() + " " + words +
                            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _plexusctl; echo \"${COMPREPLY[*]}\"";
        const auto run = ran(Program({"/bin/bash", "-c", script}, {}));
        return run.out + run.err;
    };
    CHECK(completed("he") == "health\n");
    CHECK(completed("call echo.o") == "echo.once\n");
    CHECK(completed("call echo.cave.w") == "echo.cave.wall echo.cave.wall.say echo.cave.wall.schema\n");
    CHECK(completed("call echo.once --me") == "--message\n");
    CHECK(completed("call --ti") == "--timeout\n");
    CHECK(completed("completion ''") == "bash zsh fish\n");
    CHECK(completed("nonsense --qu") == "--quiet\n");
}

TEST_CASE("every shell's completion knows every command", "[cli]") {
    const auto shell = GENERATE(as<std::string>(), "bash", "zsh", "fish");
    const auto script = plexusctl({"completion", shell});
    CHECK(script.status == 0);
    CHECK_THAT(script.out, Contains("call schema tree info health doctor completion"));
    CHECK_THAT(script.out, Contains("--state-dir"));
    CHECK_THAT(script.out, !Contains("@"
                                     "OPTIONS"));
}

}  // namespace plexus::tests
