// plexusctl info: which daemon answers, and whom it takes us for. plexusctl health: whether it is well.
#include "daemon/cli/connect.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/program.hpp"

#include <CLI/CLI.hpp>

namespace plexus::cli {

namespace {

awaitable<int> show_info(Client& client, Output& out) {
    const auto identity = co_await client.ask("access.whoami");
    out.datum({{"hub", client.hub_name()},
               {"version", client.hub_version()},
               {"address", client.place().text()},
               {"you", identity.value("name", "?")},
               {"scopes", identity.value("scopes", Json::array())}});
    co_return ok;
}

std::string health_text(const Json& status, const Paint& paint) {
    const auto word = status.value("status", "?");
    auto text = (word == "healthy" ? paint.green(word) : paint.red(word)) + ", up " +
                std::to_string(status.value("uptime_seconds", 0)) + " s, version " +
                status.value("version", "?") + "\n";
    for (const auto& problem : status.value("problems", std::vector<std::string>()))
        text += "  " + printable(problem) + "\n";
    return text;
}

awaitable<int> show_health(Client& client, Output& out) {
    const auto status = co_await client.ask("health.check");
    if (out.json()) out.line(status);
    else out.text(health_text(status, out.paint()));
    co_return status.value("status", "") == "healthy" ? ok : failed;
}

void add(CLI::App& app, Program& program, const char* name, const char* about,
         awaitable<int> (*show)(Client&, Output&)) {
    app.add_subcommand(name, about)->callback([show, &program] {
        program.chosen = [show, &options = program.options](Output& out) {
            return with_client(options, [show, &out](Client& client) { return show(client, out); });
        };
    });
}

}  // namespace

void add_info(CLI::App& app, Program& program) {
    add(app, program, "info", "Which daemon answers, and what you may do there", show_info);
}

void add_health(CLI::App& app, Program& program) {
    add(app, program, "health", "Whether the daemon is well (exit 1 when it is not)", show_health);
}

}  // namespace plexus::cli
