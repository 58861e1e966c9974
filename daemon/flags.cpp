#include "daemon/flags.hpp"

#include "daemon/config/state_dir.hpp"

#include <CLI/CLI.hpp>

namespace plexus {

namespace fs = std::filesystem;

namespace {

constexpr int usage_error = 2;

}  // namespace

Flags read_flags(int argc, char** argv) {
    Flags flags;
    std::optional<std::uint16_t> port;
    std::string state_dir, config_file, auth;

    CLI::App app("plexusd: a hub for fleets of coding agents");
    app.set_version_flag("--version", "plexusd " PLEXUS_VERSION);
    app.fallthrough();
    app.add_option("--port", port, "Port to listen on; 0 picks a free one");
    app.add_option("--state-dir", state_dir, "Where everything is kept");
    app.add_option("--config", config_file, "Configuration file (TOML)");
    app.add_option("--auth", auth, "auto, token or off")->check(CLI::IsMember({"auto", "token", "off"}));

    using Command = Flags::Command;
    const auto chosen = [&](Command command) { return [&flags, command] { flags.command = command; }; };
    auto* config = app.add_subcommand("config", "Look at the configuration")->require_subcommand(1);
    config->add_subcommand("show", "Print what is in force")->callback(chosen(Command::config_show));
    config->add_subcommand("check", "Say whether it is right")->callback(chosen(Command::config_check));
    auto* token = app.add_subcommand("token", "Manage tokens")->require_subcommand(1);
    token->add_subcommand("rotate", "Replace the daemon's own token")
        ->callback(chosen(Command::token_rotate));
    auto* add = token->add_subcommand("add", "Make a named token and print it");
    add->add_option("name", flags.token_name)->required();
    add->add_option("--scopes", flags.token_scopes, "read, chat, approve, admin")->delimiter(',')->required();
    add->callback(chosen(Command::token_add));
    auto* remove = token->add_subcommand("remove", "Forget a named token");
    remove->add_option("name", flags.token_name)->required();
    remove->callback(chosen(Command::token_remove));

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        std::exit(app.exit(problem) == 0 ? 0 : usage_error);
    }

    const auto environment = config::process_environment();
    flags.config = config::load(config_file, environment).value();
    if (port) flags.config.server.port = *port;
    if (!auth.empty()) flags.config.auth = schema::decode<config::AuthSection>({{"mode", auth}}).value();
    // A state directory of one's own means a socket of one's own: several daemons can live side by side.
    if (!state_dir.empty() && flags.config.server.socket.empty())
        flags.config.server.socket = fs::absolute(state_dir) / "run/plexus.sock";
    flags.state_dir =
        fs::absolute(state_dir.empty() ? config::usual_state_dir(environment) : fs::path(state_dir));
    return flags;
}

}  // namespace plexus
