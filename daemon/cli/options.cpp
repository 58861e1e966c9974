#include "daemon/cli/options.hpp"

#include <CLI/CLI.hpp>

namespace plexus::cli {

void add_options(CLI::App& app, Options& options) {
    app.add_flag("--json", options.json, "One JSON value per line, also on a terminal");
    app.add_flag("-q,--quiet", options.quiet, "No progress and no hints");
    app.add_option("--timeout", options.timeout, "Give up after so many seconds (exit 124)")
        ->check(CLI::PositiveNumber);
    auto* socket = app.add_option("--socket", options.socket, "Unix socket of the daemon");
    auto* url = app.add_option("--url", options.url, "WebSocket address of the daemon (ws://127.0.0.1:4444)");
    socket->excludes(url);
    app.add_option("--state-dir", options.state_dir, "State directory of the daemon to talk to");
    app.add_option("--token", options.token, "Token to show; else the state directory's own is used");
}

}  // namespace plexus::cli
