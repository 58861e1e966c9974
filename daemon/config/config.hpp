// Everything that can be configured, with its default. File < environment (PLEXUS_*) < flags.
// An unknown key is an error that names its path: a typing error must not silently mean "default".
#pragma once

#include "schema/codec.hpp"

#include <filesystem>

namespace plexus::config {

using schema::Json;

struct HubSection {
    std::string name = "substrate";  // what public clients have built in
    bool debug = false;
};
DESCRIBE(HubSection, (name, "What _info answers and <name>.call begins with", defaulted),
         (debug, "Offer the _debug.* conformance methods", defaulted))

struct ServerSection {
    std::string bind = "127.0.0.1";
    std::uint16_t port = 4444;
    std::string socket;
    std::vector<std::string> allowed_origins, allowed_hosts;
};
DESCRIBE(
    ServerSection, (bind, "Loopback address to listen on", defaulted),
    (port, "0 picks a free one", defaulted),
    (socket,
     "Unix socket; empty means the runtime directory's plexus/plexus.sock, or run/ in the state directory",
     defaulted),
    (allowed_origins, "Web origins let through besides our own, exact: http://127.0.0.1:8081", defaulted),
    (allowed_hosts, "Host headers accepted besides loopback ones, exact with port", defaulted))

enum class AuthMode { auto_, token, off };
DESCRIBE_ENUM(AuthMode, auto_, token, off)

struct AuthSection {
    AuthMode mode = AuthMode::auto_;
};
DESCRIBE(AuthSection,
         (mode, "auto: own user on loopback needs no token; token: everyone does; off: nobody", defaulted))

struct LimitsSection {
    std::uint32_t connections = 1024, strangers = 256;
    std::uint32_t calls_in_flight = 256, batch = 100, depth = 64;
    std::uint32_t request_bytes = 10u << 20, answer_bytes = 10u << 20, header_bytes = 8u << 10,
                  queued_bytes = 1u << 20;
    std::uint32_t handshake_ms = 10'000, idle_ms = 40'000, message_ms = 30'000, stalled_ms = 60'000;
};
DESCRIBE(LimitsSection, (connections, "Open connections", defaulted),
         (strangers, "Connections that have shown no credential yet", defaulted),
         (calls_in_flight, "Calls and subscriptions per connection", defaulted),
         (batch, "Requests in one JSON-RPC batch", defaulted),
         (depth, "Nesting of a request's JSON", defaulted),
         (request_bytes, "One message or HTTP body", defaulted),
         (answer_bytes, "One outgoing item", defaulted), (header_bytes, "HTTP header", defaulted),
         (queued_bytes, "Waiting to be read by one client", defaulted),
         (handshake_ms, "From connect to a complete request", defaulted),
         (idle_ms, "Silence, pongs included, before a connection is given up", defaulted),
         (message_ms, "From the first part of a message to its last", defaulted),
         (stalled_ms, "How long a client may not read", defaulted))

enum class LogLevel { debug, info, warn, error, off };
DESCRIBE_ENUM(LogLevel, debug, info, warn, error, off)

struct LogSection {
    LogLevel level = LogLevel::info;
};
DESCRIBE(LogSection, (level, "debug shows a line per call", defaulted))

enum class EventView { granular, classic };
DESCRIBE_ENUM(EventView, granular, classic)

struct ClaudecodeSection {
    std::string binary = "claude";
    std::vector<std::string> roots = {"~"};
    std::string config_dir;
    EventView view = EventView::granular;
    std::uint32_t idle_seconds = 300;
    std::map<std::string, std::string> env;
};
DESCRIBE(ClaudecodeSection, (binary, "The CLI to run: absolute, or looked up in PATH at start", defaulted),
         (roots, "Working directories must lie under one of these", defaulted),
         (config_dir, "CLAUDE_CONFIG_DIR for all sessions unless a session says otherwise", defaulted),
         (view, "Default view of chat events", defaulted),
         (idle_seconds, "How long a CLI process without work is kept warm", defaulted),
         (env, "Added to the allow-listed environment of the CLI", defaulted))

struct Config {
    HubSection hub;
    ServerSection server;
    AuthSection auth;
    LimitsSection limits;
    LogSection log;
    ClaudecodeSection claudecode;
};
DESCRIBE(Config, (hub, "The hub itself", defaulted), (server, "Where it listens", defaulted),
         (auth, "Who gets in", defaulted), (limits, "What one client may use", defaulted),
         (log, "What it says", defaulted), (claudecode, "Driving the Claude Code CLI", defaulted))

// `chosen` is --config; empty means the usual places, and no file at all is fine. `environment` as from
// environ.
schema::Result<Config> load(const std::filesystem::path& chosen,
                            const std::map<std::string, std::string>& environment);

// TOML text as JSON, with line and column in the error. Separate for tests and fuzzing.
schema::Result<Json> parse_toml(std::string_view text, const std::string& name);
schema::Result<Config> decode(Json file, const std::map<std::string, std::string>& environment);

std::map<std::string, std::string> process_environment();

}  // namespace plexus::config
