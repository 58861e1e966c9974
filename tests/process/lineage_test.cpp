// Who is one of ours: what the gate relies on.
#include "daemon/process/environment.hpp"
#include "tests/process/world.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <fstream>
#include <sstream>

namespace plexus::tests {

namespace {

// The inode of the socket at the other end of an accepted connection, as the kernel lists it.
std::uint64_t inode_of_port(unsigned port) {
    std::ifstream table("/proc/net/tcp");
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state, queues, timer, retransmits, uid, timeout;
        std::uint64_t inode = 0;
        words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >>
            inode;
        const auto colon = local.find(':');
        if (colon != local.npos && std::stoul(local.substr(colon + 1), nullptr, 16) == port && state == "01")
            return inode;
    }
    return 0;
}

}  // namespace

TEST_CASE("a stat line is read from behind the name, whatever the name is", "[process]") {
    const auto stat = process::parse_stat(
        "42 (evil) S 1 1 (x) R 7 8 9 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 0 0 184467 0 0\n");
    REQUIRE(stat);
    CHECK(stat->pid == 42);
    CHECK(stat->state == 'R');
    CHECK(stat->parent == 7);
    CHECK(stat->group == 8);
    CHECK(stat->started == 123456);
    CHECK_FALSE(process::parse_stat(""));
    CHECK_FALSE(process::parse_stat("42 (cut) S 1"));
    CHECK_FALSE(process::parse_stat("x (y) S a b"));
}

TEST_CASE_METHOD(World, "descendants are known by any way of birth, others are not", "[process][lineage]") {
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(shell(R"(
            setsid nohup sleep 1000 >/dev/null 2>&1 & echo $!
            (setsid sleep 1001 >/dev/null & echo $!)
            wait)"));
        const auto session = std::stoi(co_await read_line(*child));
        const auto orphan = std::stoi(co_await read_line(*child));
        CHECK(process::is_descendant(child->pid()));
        CHECK(process::is_descendant(session));
        CHECK(process::is_descendant(orphan));
        CHECK_FALSE(process::is_descendant(::getpid()));
        CHECK_FALSE(process::is_descendant(::getppid()));
        CHECK_FALSE(process::is_descendant(1));
        CHECK_FALSE(process::is_descendant(0));
        co_await child->end(hub::at_once);
        CHECK_FALSE(process::is_descendant(orphan));
    }());
}

TEST_CASE_METHOD(World, "the descendant that owns a connection is found by its socket",
                 "[process][lineage]") {
    const std::string connect = "exec 3<>/dev/tcp/127.0.0.1/$PORT; echo $BASHPID >&2; exec sleep 1000";
    const std::vector<std::string> births = {connect, "setsid nohup bash -c '" + connect + "' & wait",
                                             "(setsid bash -c '" + connect + "' &) ; sleep 1000"};
    const auto& script = births[GENERATE(0U, 1U, 2U)];
    run([&]() -> hub::awaitable<void> {
        using boost::asio::ip::tcp;
        tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
        auto wanted = shell(script);
        wanted.environment["PORT"] = std::to_string(acceptor.local_endpoint().port());
        const auto child = processes.spawn(wanted);
        const auto peer = co_await acceptor.async_accept(hub::use_awaitable);
        const auto inode = inode_of_port(peer.remote_endpoint().port());
        REQUIRE(inode != 0);
        CHECK(co_await becomes_true([&] { return !child->stderr_tail().text.empty(); }));
        CHECK(process::descendant_owning_socket(inode) == std::stoi(child->stderr_tail().text));

        // A connection of our own is nobody's.
        tcp::socket own(loop);
        co_await own.async_connect(acceptor.local_endpoint(), hub::use_awaitable);
        const auto mine = inode_of_port(own.local_endpoint().port());
        REQUIRE(mine != 0);
        CHECK_FALSE(process::descendant_owning_socket(mine));
    }());
}

TEST_CASE("the agent's environment is what the list names and nothing else", "[process]") {
    const hub::Environment own = {{"HOME", "/home/u"},
                                  {"PATH", "/bin"},
                                  {"LC_ALL", "C"},
                                  {"XDG_CONFIG_HOME", "/x"},
                                  {"https_proxy", "p"},
                                  {"ANTHROPIC_API_KEY", "k"},
                                  {"CLAUDE_CONFIG_DIR", "d"},
                                  {"CLAUDECODE", "1"},
                                  {"PLEXUS_API_KEY", "canary"},
                                  {"AWS_SECRET_ACCESS_KEY", "canary"},
                                  {"ANTHROPIC_UNHEARD_OF", "canary"},
                                  {"LD_PRELOAD", "canary"},
                                  {"GITHUB_TOKEN", "canary"},
                                  {"SSH_AUTH_SOCK", "canary"},
                                  {"NODE_OPTIONS", "canary"}};
    const auto seen = process::agent_environment(
        own,
        {{"SSH_AUTH_SOCK", "/sock"}, {"PATH", "/opt"}, {"PLEXUS_TOKEN", "canary"}, {"CLAUDECODE", "canary"}});
    CHECK(seen == hub::Environment{{"HOME", "/home/u"},
                                   {"PATH", "/opt"},
                                   {"LC_ALL", "C"},
                                   {"XDG_CONFIG_HOME", "/x"},
                                   {"https_proxy", "p"},
                                   {"ANTHROPIC_API_KEY", "k"},
                                   {"CLAUDE_CONFIG_DIR", "d"},
                                   {"SSH_AUTH_SOCK", "/sock"}});
}

}  // namespace plexus::tests
