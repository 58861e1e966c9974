// How plexusctl finds a daemon and who gets to see its token.
#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace plexus::tests {

using Catch::Contains;

namespace {

std::string you(const Ran& run) { return run.status == 0 ? run.lines().at(0).value("you", "") : run.err; }

std::string token_of(const Daemon& daemon) {
    std::string token;
    std::getline(std::ifstream(daemon.state_dir() / "token") >> std::ws, token);
    return token;
}

// Someone else's program on a port of this machine: says what the first visitor shows.
class Stranger {
public:
    Stranger() {
        const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener, 1) == 0);
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = std::to_string(ntohs(address.sin_port));
        REQUIRE(::pipe(pipe_) == 0);
        child_ = ::fork();
        if (child_ == 0) {
            char request[4096];
            const bool other = ::setuid(nobody) == 0;
            const int visitor = other ? ::accept(listener, nullptr, nullptr) : -1;
            const auto got = ::read(visitor, request, sizeof request);
            _exit(got > 0 && ::write(pipe_[1], request, static_cast<std::size_t>(got)) == got ? 0 : 1);
        }
        ::close(listener);
        ::close(pipe_[1]);
    }
    ~Stranger() {
        ::waitpid(child_, nullptr, 0);
        ::close(pipe_[0]);
    }
    std::string url() const { return "ws://127.0.0.1:" + port_; }
    std::string was_shown() const {
        char request[4096];
        const auto got = ::read(pipe_[0], request, sizeof request);
        return got > 0 ? std::string(request, static_cast<std::size_t>(got)) : "";
    }

private:
    static constexpr uid_t nobody = 65534;
    int pipe_[2] = {-1, -1};
    pid_t child_ = -1;
    std::string port_;
};

}  // namespace

TEST_CASE("the daemon is found by itself where its defaults put it", "[cli]") {
    const Daemon in_home({}, ".local/state/plexus");
    const auto home = in_home.state_dir().parent_path().parent_path().parent_path().string();
    const Daemon in_runtime({}, "elsewhere");
    CHECK(plexusctl({"info"}, {{}, {{"HOME", home}}, false}).lines().at(0)["address"] ==
          "unix:" + in_home.socket());
    CHECK(plexusctl({"info"}, {{}, {{"HOME", home}, {"PLEXUS_SOCKET", in_runtime.socket()}}, false})
              .lines()
              .at(0)["address"] == "unix:" + in_runtime.socket());
    CHECK(plexusctl({"--socket", in_runtime.socket(), "info"}).status == 0);
    CHECK(plexusctl({"--url", in_runtime.url(), "info"}).lines().at(0)["address"] == in_runtime.url());
}

TEST_CASE("where no daemon is, every place tried is named", "[cli]") {
    const Directory empty;
    const auto run =
        plexusctl({"info"}, {{}, {{"XDG_RUNTIME_DIR", empty.path()}, {"PLEXUS_SERVER_PORT", "1"}}, false});
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("unix:" + empty.path().string() + "/plexus/plexus.sock: No such file"));
    CHECK_THAT(run.err, Contains("ws://127.0.0.1:1: Connection refused"));
    CHECK_THAT(run.err, Contains("Start a daemon with `plexusd`"));
    CHECK(plexusctl({"info"}, {{}, {{"PLEXUS_SOCKET", "/nowhere.sock"}}, false}).status == 3);
}

TEST_CASE("a socket whose path is longer than an address is reached", "[cli]") {
    const Daemon daemon({}, std::string(100, 'a') + "/" + std::string(100, 'b'));
    CHECK(daemon.ctl({"health"}).status == 0);
}

TEST_CASE("the token file opens a daemon that wants a token, and nothing else does", "[cli]") {
    const Daemon daemon({"--auth", "token"});
    CHECK(you(daemon.ctl({"info"})) == "token");
    CHECK(you(daemon.ctl({"--url", daemon.url(), "info"})) == "token");
    CHECK(you(plexusctl({"--url", daemon.url(), "--token", token_of(daemon), "info"})) == "token");
    const auto without = plexusctl({"--url", daemon.url(), "info"});
    CHECK(without.status == 4);
    CHECK_THAT(without.err, Contains("Authentication required"));
}

TEST_CASE("a token file of another daemon does no harm where none is needed", "[cli]") {
    const Daemon daemon;
    const Directory other;
    std::ofstream(other.path() / "token") << "of-another-daemon\n";
    const Words place{"--socket", daemon.socket(), "--state-dir", other.path()};
    CHECK(you(plexusctl({place[0], place[1], place[2], place[3], "info"})).starts_with("uid "));
    CHECK(plexusctl({place[0], place[1], "--token", "of-another-daemon", "info"}).status == 4);
}

TEST_CASE("the token file is not shown to a program of another user", "[cli]") {
    if (::geteuid() != 0) {
        WARN("needs root, to be two users at once");
        return;
    }
    const Directory mine;
    std::ofstream(mine.path() / "token") << "secret-token\n";
    {
        const Stranger stranger;
        CHECK(plexusctl({"--url", stranger.url(), "--state-dir", mine.path(), "info"}).status == 3);
        const auto shown = stranger.was_shown();
        CHECK_THAT(shown, Contains("Upgrade: websocket"));
        CHECK_THAT(shown, !Contains("secret-token"));
    }
    const Stranger trusted;
    CHECK(plexusctl({"--url", trusted.url(), "--token", "secret-token", "info"}).status == 3);
    CHECK_THAT(trusted.was_shown(), Contains("Authorization: Bearer secret-token"));
}

}  // namespace plexus::tests
