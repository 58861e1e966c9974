// The composition root: every part built in order, a sentence each.
#include "activations/access/access.hpp"
#include "activations/arbor/arbor_activation.hpp"
#include "activations/claudecode/claudecode.hpp"
#include "activations/debug/debug.hpp"
#include "activations/echo/echo.hpp"
#include "activations/health/health.hpp"
#include "activations/loopback/loopback.hpp"
#include "activations/registry/registry.hpp"
#include "activations/store/store.hpp"
#include "daemon/agent_setup.hpp"
#include "daemon/flags.hpp"
#include "daemon/net/server.hpp"
#include "daemon/process/environment.hpp"
#include "daemon/process/linux_processes.hpp"
#include "daemon/service.hpp"
#include "daemon/sockets.hpp"
#include "daemon/storage/sqlite.hpp"
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
    return {limits.connections,
            limits.strangers,
            limits.request_bytes,
            limits.header_bytes,
            limits.queued_bytes,
            milliseconds(limits.handshake_ms),
            milliseconds(limits.idle_ms),
            milliseconds(limits.message_ms),
            milliseconds(limits.stalled_ms)};
}

void say_ready(const std::string& bind, const Sockets& sockets) {
    std::printf("plexusd ready on ws://%s:%u (http://%s:%u/rpc, unix:%s)\n", bind.c_str(), sockets.port,
                bind.c_str(), sockets.port, sockets.local_path.c_str());
    std::fflush(stdout);
    tell_service_manager("READY=1\nSTATUS=Serving on port " + std::to_string(sockets.port));
}

claudecode::Options claude_options(const config::ClaudecodeSection& section, const fs::path& state_dir) {
    claudecode::Options options;
    const auto binary = find_program(section.binary);
    if (binary) options.binary = *binary;
    else options.binary_problem = binary.error().message;
    options.roots = existing_roots(section.roots);
    options.config_dir = section.config_dir;
    options.view = static_cast<claudecode::View>(section.view);
    options.environment = process::agent_environment(process::own_environment(), section.env);
    options.idle = std::chrono::seconds(section.idle_seconds);
    options.working_directory = [roots = options.roots](const std::string& directory) {
        return working_directory(directory, roots);
    };
    options.keep_file = [directory = state_dir / "agents"](const std::string& name, const std::string& text) {
        return keep_private_file(directory, name, text);
    };
    return options;
}

int serve(const Flags& flags) {
    using namespace boost::asio::experimental::awaitable_operators;
    const auto& config = flags.config;
    log::start(static_cast<log::Level>(config.log.level), std::getenv("JOURNAL_STREAM") != nullptr);
    ignore_harmless_signals();
    require_loopback(config.server);
    make_private(flags.state_dir);

    boost::asio::io_context loop(1);  // first: it outlives everything that runs on it
    storage::Options store_options;
    store_options.directory = flags.state_dir;
    const auto storage = storage::open_sqlite(store_options);
    SystemClock clock;
    hub::Ids ids(clock, system_random);
    auto sockets = open_sockets(loop, config.server, flags.state_dir);
    net::Credentials credentials(flags.state_dir, clock, system_random);

    hub::RootHub root(config.hub.name, PLEXUS_VERSION, "Central routing and introspection");
    root.also_known_as("plexus");
    root.add<health::Health>(clock).watch([&storage]() -> hub::awaitable<std::string> {
        const auto health = co_await storage->health();
        co_return health.mode == hub::StorageMode::read_write ? ""
                                                              : "The store is not well: " + health.reason;
    });
    root.add<store::Store>(*storage);
    root.add<echo::Echo>(clock);
    root.add<access::Access>(credentials);
    process::LinuxProcesses processes(loop.get_executor());
    arbor::Trees trees(loop.get_executor(), *storage, clock, ids);
    auto& arbor = root.add<arbor::Arbor>(trees, root);
    auto& loopback = root.add<loopback::Loopback>(loop.get_executor(), *storage, ids, clock);
    auto& claude = root.add<claudecode::Claudecode>(loop.get_executor(), *storage, trees.streams(), ids,
                                                    clock, processes, loopback,
                                                    claude_options(config.claudecode, flags.state_dir));
    trees.add_pins([](hub::Transaction& sql) { return claudecode::session_heads(sql); });
    if (config.hub.debug) root.add_hidden<debug::Debug>(clock);
    auto& registry = root.add<registry::Registry>(clock, ids);

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

    run_until_stopped(loop, [&]() -> hub::awaitable<void> {
        co_await loopback.recover();
        co_await claude.recover();
        say_ready(config.server.bind, sockets);
        hub::TaskGroup background(loop.get_executor());
        background.spawn([&] { return arbor.run_cleanup_timer(); });
        co_await hub::guarded(server.serve(std::move(sockets.tcp)) && server.serve(std::move(sockets.local)));
        co_await background.cancel_and_join();
        co_await claude.stop();
        co_await processes.close();
        co_await storage->close();
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
