// The files in config/ as they are shipped.
#include "daemon/config/config.hpp"
#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <regex>

namespace plexus::tests {

using Catch::Contains;

namespace {

std::string shipped(const std::string& name) {
    std::ifstream file(fs::path(PLEXUS_TEST_DATA) / "../config" / name);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

fs::path written(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
}

std::string with_our_binary(const std::string& unit) {
    return std::regex_replace(unit, std::regex("/usr/bin/plexusd"), (binaries() / "plexusd").string());
}

}  // namespace

TEST_CASE("the shipped configuration is right as it stands", "[cli][config]") {
    const Directory directory;
    const auto file = written(directory.path() / "plexusd.toml", shipped("plexusd.toml"));
    const auto run = ran(Program({"plexusd", "config", "check", "--config", file}, {}));
    CHECK(run.status == 0);
}

TEST_CASE("the shipped configuration shows every setting with its default", "[cli][config]") {
    const auto uncommented =
        std::regex_replace(shipped("plexusd.toml"), std::regex("(^|\n)#([a-z_]+ = )"), "$1$2");
    const auto file = config::parse_toml(uncommented, "plexusd.toml").value();
    CHECK(file == schema::encode(config::Config{}));
}

TEST_CASE("systemd finds no fault with the shipped units", "[cli][config]") {
    if (!fs::exists("/usr/bin/systemd-analyze")) {
        WARN("needs systemd-analyze");
        return;
    }
    const Directory units;
    for (const std::string name : {"plexusd.service", "plexusd.socket", "plexusd@.service"})
        written(units.path() / name, with_our_binary(shipped(name)));
    fs::copy_file(units.path() / "plexusd@.service", units.path() / "plexusd@mail.service");
    const auto analyze = [&](Words words) {
        words.insert(words.begin(), "/usr/bin/systemd-analyze");
        return ran(
            Program(words, {{}, {{"XDG_RUNTIME_DIR", units.path()}, {"SYSTEMD_PAGER", "cat"}}, false}));
    };
    const auto path = [&](const std::string& name) { return (units.path() / name).string(); };
    const auto user = analyze({"verify", "--user", path("plexusd.service"), path("plexusd.socket")});
    CHECK(user.status == 0);
    CHECK(user.err == "");
    const auto system = analyze({"verify", path("plexusd@mail.service")});
    CHECK(system.status == 0);
    CHECK(system.err == "");
    // In tenths; the README beside the units tells the same numbers.
    CHECK(analyze({"security", "--offline=true", "--threshold=33", path("plexusd@mail.service")}).status ==
          0);
    CHECK(analyze({"security", "--offline=true", "--threshold=75", path("plexusd.service")}).status == 0);
    CHECK_THAT(shipped("plexusd.service") + shipped("plexusd@.service"),
               !Contains("\nMemoryDenyWriteExecute"));
}

}  // namespace plexus::tests
