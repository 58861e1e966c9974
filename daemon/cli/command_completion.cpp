// plexusctl completion bash|zsh|fish, and the hidden command those scripts ask for what only the hub knows.
#include "daemon/cli/completion_scripts.hpp"
#include "daemon/cli/connect.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/hub_schema.hpp"
#include "daemon/cli/json_schema.hpp"
#include "daemon/cli/program.hpp"

#include <CLI/CLI.hpp>

namespace plexus::cli {

namespace {

std::string option_words(const CLI::App& app) {
    std::string words;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) words += (words.empty() ? "--" : " --") + name;
    return words;
}

std::string command_words(const CLI::App& app) {
    std::string words;
    for (const auto* command :
         app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
        words += (words.empty() ? "" : " ") + command->get_name();
    return words;
}

std::string filled_in(std::string script, const CLI::App& app) {
    for (const auto& [mark, words] :
         {std::pair("@COMMANDS@", command_words(app)), {"@OPTIONS@", option_words(app)}})
        for (auto at = script.find(mark); at != script.npos; at = script.find(mark))
            script.replace(at, std::string_view(mark).size(), words);
    return script;
}

void list_names(const Json& activation, const std::string& hub, Output& out) {
    const auto path = activation.value("path", "");
    if (!path.empty()) out.text(path + "\n");
    for (const auto& method : activation.value("methods", Json::array()))
        out.text((path.empty() ? hub : path) + "." + method.value("name", "") + "\n");
    for (const auto& child : activation.value("children", Json::array())) list_names(child, hub, out);
}

// With a method: its parameters. Without: every path there is.
awaitable<int> offer(Client& client, std::string method, Output& out) {
    if (method.empty()) {
        const auto whole = co_await whole_schema(client, "");
        list_names(whole, client.hub_name(), out);
        co_return ok;
    }
    const auto schema = co_await schema_of(client, method);
    const auto params = schema.value("params", Json::object());
    for (const auto name : JsonSchema(params).properties()) out.text("--" + std::string(name) + "\n");
    co_return ok;
}

}  // namespace

void add_completion(CLI::App& app, Program& program) {
    auto* command = app.add_subcommand("completion", "Print the completion script of a shell");
    const auto shell = std::make_shared<std::string>();
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer(
        "bash: source <(plexusctl completion bash)\nzsh:  source <(plexusctl completion zsh)\n"
        "fish: plexusctl completion fish | source");
    command->callback([shell, &app, &program] {
        program.chosen = [shell, &app](Output& out) -> awaitable<int> {
            out.text(filled_in(completion_script(*shell), app));
            co_return ok;
        };
    });

    auto* hidden = app.add_subcommand("__complete")->group("");
    const auto method = std::make_shared<std::string>();
    hidden->add_option("method", *method);
    hidden->callback([method, &program] {
        program.chosen = [method, &options = program.options](Output& out) {
            return with_client(options, [&](Client& client) { return offer(client, *method, out); });
        };
    });
}

}  // namespace plexus::cli
