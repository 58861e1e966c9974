// The composition root: every part built in order, a sentence each.
#include "activations/access/access.hpp"
#include "activations/debug/debug.hpp"
#include "activations/echo/echo.hpp"
#include "activations/health/health.hpp"
#include "activations/registry/registry.hpp"
#include "daemon/flags.hpp"
#include "daemon/net/server.hpp"
#include "daemon/service.hpp"
#include "daemon/sockets.hpp"
#include "daemon/system.hpp"
#include "hub/log.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace plexus {

namespace {

namespace fs = std::filesystem;
namespace log = hub::log;
constexpr int refused = 2, locked = 3;

void make_private(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error || ::chmod(directory.c_str(), 0700) != 0 || ::access(directory.c_str(), W_OK) != 0)
        throw schema::Failure(schema::failed(
            "bad_state_dir",
            "Cannot write in the state directory " + directory.string() + "; name another with --state-dir"));
}

std::vector<std::string> own_hosts(const config::ServerSection& server, std::uint16_t port) {
    auto hosts = server.allowed_hosts;
    for (const auto* name : {"127.0.0.1:", "localhost:", "[::1]:"})
        hosts.push_back(name + std::to_string(port));
    return hosts;
}

std::vector<std::string> own_origins(const config::ServerSection& server, std::uint16_t port) {
    auto origins = server.allowed_origins;
    for (const auto* name : {"http://127.0.0.1:", "http://localhost:", "http://[::1]:"})
        origins.push_back(name + std::to_string(port));
    return origins;
}

net::NetLimits net_limits(const config::LimitsSection& limits) {
    using std::chrono::milliseconds;
    return {limits.connections,           limits.strangers,
            limits.request_bytes,         limits.header_bytes,
            limits.queued_bytes,          milliseconds(limits.handshake_ms),
            milliseconds(limits.idle_ms), milliseconds(limits.stalled_ms)};
}

int serve(const Flags& flags) {
    using namespace boost::asio::experimental::awaitable_operators;
    const auto& config = flags.config;
    log::start(static_cast<log::Level>(config.log.level), std::getenv("JOURNAL_STREAM") != nullptr);
    ignore_harmless_signals();
    make_private(flags.state_dir);

    boost::asio::io_context loop(1);
    SystemClock clock;
    hub::Ids ids(clock, system_random);
    net::Credentials credentials(flags.state_dir, clock, system_random);

    hub::RootHub root(config.hub.name, PLEXUS_VERSION, "Central routing and introspection");
    root.also_known_as("plexus");
    root.add<health::Health>(clock);
    root.add<echo::Echo>(clock);
    root.add<access::Access>(credentials);
    if (config.hub.debug) root.add_hidden<debug::Debug>(clock);
    auto& registry = root.add<registry::Registry>(clock, ids);

    auto sockets = open_sockets(loop, config.server, flags.state_dir);
    registry.announce(config.hub.name, config.server.bind, sockets.port);

    schema::FrameReader reader({config.limits.depth, config.limits.batch});
    const rpc::Services services{
        root, clock, ids, reader, {config.limits.calls_in_flight, config.limits.answer_bytes}};
    net::Gate gate({static_cast<net::AuthMode>(config.auth.mode), own_hosts(config.server, sockets.port),
                    own_origins(config.server, sockets.port), ::geteuid()},
                   credentials);
    if (config.auth.mode == config::AuthMode::off)
        log::warn("auth is off: every process on this machine can run code as you through this daemon");
    net::Server server(loop.get_executor(), {services, gate, net_limits(config.limits), [] { return true; }});

    std::printf("plexusd ready on ws://%s:%u (http://%s:%u/rpc, unix:%s)\n", config.server.bind.c_str(),
                sockets.port, config.server.bind.c_str(), sockets.port, sockets.local_path.c_str());
    std::fflush(stdout);
    tell_service_manager("READY=1\nSTATUS=Serving on port " + std::to_string(sockets.port));
    run_until_stopped(loop, [&]() -> hub::awaitable<void> {
        co_await (server.serve(std::move(sockets.tcp)) && server.serve(std::move(sockets.local)));
    });
    if (!sockets.local_path.empty()) ::unlink(sockets.local_path.c_str());
    log::info("stopped");
    return 0;
}

int run(const Flags& flags) {
    using Command = Flags::Command;
    switch (flags.command) {
        case Command::serve:
            return serve(flags);
        case Command::config_show:
            std::puts(schema::encode(flags.config).dump(2).c_str());
            return 0;
        case Command::config_check:
            std::puts("The configuration is right.");
            return 0;
        case Command::token_rotate:
            make_private(flags.state_dir);
            std::puts(net::rotate_token(flags.state_dir, system_random).c_str());
            return 0;
        case Command::token_add:
            make_private(flags.state_dir);
            std::puts(
                net::add_named_token(flags.state_dir, flags.token_name, flags.token_scopes, system_random)
                    .c_str());
            return 0;
        case Command::token_remove:
            net::add_named_token(flags.state_dir, flags.token_name, {}, system_random);
            return 0;
    }
    return refused;
}

}  // namespace

}  // namespace plexus

int main(int argc, char** argv) try {
    return plexus::run(plexus::read_flags(argc, argv));
} catch (const plexus::schema::Failure& failure) {
    std::fprintf(stderr, "plexusd: %s\n", failure.what());
    return failure.error().reason == "locked" ? plexus::locked : plexus::refused;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "plexusd: %s\n", failure.what());
    return plexus::refused;
}
