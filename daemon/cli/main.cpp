// plexusctl: the command line of a running plexusd.
#include "daemon/cli/exit.hpp"
#include "daemon/cli/program.hpp"
#include "schema/codec.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <CLI/CLI.hpp>

namespace plexus::cli {

namespace {

constexpr AddCommand* commands[] = {add_call,   add_schema, add_tree,      add_info,
                                    add_health, add_doctor, add_completion};

int run(const Program& program) {
    Output out(program.options);
    leave_on_signals(program.options.timeout);
    boost::asio::io_context loop(1);
    int status = failed;
    std::exception_ptr problem;
    boost::asio::co_spawn(loop, program.chosen(out), [&](std::exception_ptr thrown, int ended) {
        problem = thrown;
        status = ended;
    });
    loop.run();
    if (!problem) return status;
    try {
        std::rethrow_exception(problem);
    } catch (const schema::Failure& failure) {
        out.error(failure.error());
        return exit_code(failure.error());
    } catch (const std::exception& failure) {
        out.error(schema::failed("internal", failure.what()));
        return failed;
    }
}

// A word where a command should stand is more often mistyped than missing.
schema::Error explained(const CLI::App& app, const CLI::ParseError& problem) {
    const auto words = app.remaining();
    if (!app.get_subcommands().empty() || words.empty()) return usage_error(problem.what());
    std::vector<std::string_view> known;
    const auto commands_there =
        app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
    for (const auto* command : commands_there) known.push_back(command->get_name());
    return usage_error("There is no command " + words.front() + schema::closest(words.front(), known) +
                       "; `plexusctl --help` lists them");
}

int main(int argc, char** argv) {
    Program program;
    CLI::App app("plexusctl: talk to a running plexusd");
    app.set_version_flag("--version", "plexusctl " PLEXUS_VERSION);
    app.require_subcommand(1)->fallthrough();
    add_options(app, program.options);
    for (auto* add : commands) add(app, program);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
        Output(program.options).error(explained(app, problem));
        return usage;
    } catch (const schema::Failure& failure) {
        Output(program.options).error(failure.error());
        return exit_code(failure.error());
    }
    return run(program);
}

}  // namespace

}  // namespace plexus::cli

int main(int argc, char** argv) { return plexus::cli::main(argc, argv); }
