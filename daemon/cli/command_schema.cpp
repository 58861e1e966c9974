// plexusctl schema [PATH]
#include "daemon/cli/connect.hpp"
#include "daemon/cli/describe.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/hub_schema.hpp"
#include "daemon/cli/program.hpp"

#include <CLI/CLI.hpp>

namespace plexus::cli {

namespace {

awaitable<int> show_schema(Client& client, std::string path, Output& out) {
    const auto schema = co_await schema_of(client, path);
    if (out.json()) out.line(schema);
    else if (is_activation(schema)) out.text(describe_activation(schema, out.paint()));
    else out.text(describe_method(path, schema, out.paint()));
    co_return ok;
}

}  // namespace

void add_schema(CLI::App& app, Program& program) {
    auto* command = app.add_subcommand("schema", "Describe the hub, an activation or a method");
    const auto path = std::make_shared<std::string>();
    command->add_option("path", *path, "Dotted path, as in echo or echo.once; the hub itself when left out");
    command->callback([path, &program] {
        program.chosen = [path, &options = program.options](Output& out) {
            return with_client(options, [&](Client& client) { return show_schema(client, *path, out); });
        };
    });
}

}  // namespace plexus::cli
