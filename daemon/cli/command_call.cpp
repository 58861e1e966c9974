// plexusctl call METHOD [--param value … | JSON]
#include "daemon/cli/connect.hpp"
#include "daemon/cli/describe.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/hub_schema.hpp"
#include "daemon/cli/parameters.hpp"
#include "daemon/cli/program.hpp"
#include "daemon/cli/questions.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <CLI/CLI.hpp>

namespace plexus::cli {

using namespace boost::asio::experimental::awaitable_operators;
using schema::Code;
using schema::Failure;

namespace {

constexpr auto about = "Call a method and print what it answers, as it comes";
constexpr auto footer =
    "  plexusctl call METHOD [--name value … | JSON]\n"
    "  plexusctl call echo.once --message hello\n"
    "  plexusctl call echo.once '{\"message\": \"hello\"}'\n\n"
    "Parameters are checked against the hub's own schema; `call METHOD --help` shows them.\n"
    "`-` in place of the JSON reads it from standard input. The options of plexusctl may stand anywhere;\n"
    "after `--` every name is a parameter.";

// What is known about a method. Some can be called without being listed, and an agent may call some methods
// but not read schemas: nothing is known about these (null), and the daemon has the last word.
awaitable<Json> known_about(Client& client, std::string method) {
    if (method.find('.') == method.npos) co_return Json();
    Json schema;
    try {
        schema = co_await schema_of(client, method);
    } catch (const Failure& failure) {
        const auto code = failure.error().code;
        if (code != Code::method_not_found && code != Code::forbidden) throw;
    }
    if (is_activation(schema))
        throw Failure({Code::method_not_found, "method_not_found",
                       method + " is an activation, not a method; `plexusctl schema " + method +
                           "` lists its methods"});
    // `schema` itself takes a parameter it does not declare.
    co_return schema.is_object() && schema.value("hash", "") == "auto_schema" ? Json() : schema;
}

// The daemon may give up waiting, or go away, while the person thinks.
awaitable<void> answer(Client& client, Client::Stream& stream, Question question) {
    auto terminal = Terminal::open(co_await hub::asio::this_coro::executor);
    auto reply = answer_alone(question.request);
    if (terminal) {
        auto first = co_await (answer_at(*terminal, question.request) || stream.ended());
        if (first.index() == 1) co_return;
        reply = std::move(std::get<0>(first));
    }
    co_await client.respond(question.id, std::move(reply));
}

std::string progress_text(const Progress& progress) {
    const auto percent = progress.percentage ? std::to_string(std::lround(*progress.percentage)) + " % " : "";
    return percent + progress.message;
}

bool is_failure(const Json& content) {
    return content.is_object() && content.value("type", Json()) == "error";
}

awaitable<void> show(Client::Stream stream, Client& client, Output& out) {
    while (auto item = co_await stream.next()) {
        if (auto* datum = std::get_if<Datum>(&*item)) {
            // The same error follows as the end of the stream; a person needs it once.
            if (out.json() || !is_failure(datum->content)) out.datum(datum->content);
        } else if (auto* progress = std::get_if<Progress>(&*item)) {
            out.note(progress_text(*progress));
        } else {
            co_await answer(client, stream, std::get<Question>(*item));
        }
    }
}

awaitable<int> call(Client& client, const Words& words, Output& out) {
    const auto method = co_await known_about(client, words.method);
    if (words.help) {
        out.text(describe_method(words.method, method, out.paint()));
        co_return ok;
    }
    auto params = parameters(words, method).value();
    co_await show(co_await client.call(words.method, std::move(params)), client, out);
    co_return ok;
}

// plexusctl's own options may stand anywhere, so they are read in a second pass.
Words sorted(const std::vector<std::string>& rest, Options& options) {
    CLI::App late;
    add_options(late, options);
    const auto kind_of = [&](const std::string& name) {
        const auto* option = name.starts_with('-') ? late.get_option_no_throw(name) : nullptr;
        if (!option) return Kind::parameter;
        return option->get_items_expected_max() > 0 ? Kind::with_value : Kind::flag;
    };
    auto words = sort_words(rest, kind_of).value();
    std::vector<std::string> reversed(words.options.rbegin(), words.options.rend());
    late.parse(std::move(reversed));
    return words;
}

}  // namespace

void add_call(CLI::App& app, Program& program) {
    auto* command = app.add_subcommand("call", about)->prefix_command()->fallthrough(false);
    command->set_help_flag();
    command->footer(footer);
    command->callback([command, &program] {
        auto words = sorted(command->remaining(), program.options);
        if (words.method.empty() && words.help) throw CLI::CallForHelp();
        if (words.method.empty()) throw CLI::RequiredError("METHOD");
        program.chosen = [&options = program.options, words](Output& out) {
            return with_client(options, [&](Client& client) { return call(client, words, out); });
        };
    });
}

}  // namespace plexus::cli
