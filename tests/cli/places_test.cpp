#include "daemon/cli/places.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

namespace {

std::string places(const cli::Options& options, const cli::Environment& environment) {
    std::string text;
    for (const auto& place : cli::look_around(options, environment).value().places)
        text += place.text() + " ";
    return text;
}

}  // namespace

TEST_CASE("the daemon is looked for where its defaults put it", "[cli]") {
    CHECK(places({}, {{"HOME", "/h"}}) == "unix:/h/.local/state/plexus/run/plexus.sock ws://127.0.0.1:4444 ");
    CHECK(places({}, {{"HOME", "/h"}, {"XDG_RUNTIME_DIR", "/r"}, {"XDG_STATE_HOME", "/s"}}) ==
          "unix:/r/plexus/plexus.sock unix:/s/plexus/run/plexus.sock ws://127.0.0.1:4444 ");
    CHECK(places({}, {{"HOME", "/h"}, {"PLEXUS_SERVER_SOCKET", "/x"}, {"PLEXUS_SERVER_PORT", "5000"}}) ==
          "unix:/x unix:/h/.local/state/plexus/run/plexus.sock ws://127.0.0.1:5000 ");
}

TEST_CASE("a choice made by hand is the only place", "[cli]") {
    const cli::Environment environment = {
        {"HOME", "/h"}, {"XDG_RUNTIME_DIR", "/r"}, {"PLEXUS_SOCKET", "/chosen"}};
    cli::Options by_socket, by_url, by_directory;
    by_socket.socket = "/s";
    by_url.url = "ws://[::1]:5";
    by_directory.state_dir = "/d";
    CHECK(places({}, environment) == "unix:/chosen ");
    CHECK(places(by_socket, environment) == "unix:/s ");
    CHECK(places(by_url, environment) == "ws://[::1]:5 ");
    CHECK(places(by_directory, environment) == "unix:/d/run/plexus.sock ");
}

TEST_CASE("a URL names a host and a port", "[cli]") {
    const auto [url, place] = GENERATE(table<std::string, std::string>({
        {"ws://127.0.0.1:4444", "ws://127.0.0.1:4444"},
        {"ws://localhost", "ws://localhost:4444"},
        {"ws://[::1]:7/path?x", "ws://[::1]:7"},
        {"http://127.0.0.1:4444", "refused"},
        {"wss://127.0.0.1:4444", "refused"},
        {"ws://", "refused"},
        {"ws://:1", "refused"},
        {"ws://host:port", "refused"},
        {"ws://[::1", "refused"},
    }));
    const auto found = cli::place_of_url(url);
    CHECK((found ? found->text() : "refused") == place);
}

}  // namespace plexus::tests
