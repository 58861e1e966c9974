// plexusctl tree [PATH] [-v]: the activations, drawn.
#include "daemon/cli/connect.hpp"
#include "daemon/cli/describe.hpp"
#include "daemon/cli/drawing.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/hub_schema.hpp"
#include "daemon/cli/program.hpp"

#include <CLI/CLI.hpp>

#include <set>

namespace plexus::cli {

namespace {

constexpr std::size_t longest_description = 100;

struct Wish {
    std::string path;
    bool methods = false;
};

std::set<std::string> hashes_of(const Json& methods) {
    std::set<std::string> hashes;
    for (const auto& method : methods) hashes.insert(method.value("hash", ""));
    return hashes;
}

// `shown` are the methods of the root: every hub has those again, and repeating them hides the rest.
Branch branch_of(const Json& activation, bool with_methods, const Paint& paint,
                 std::set<std::string> shown = {}) {
    const auto described = [&](const std::string& name, const Json& what) {
        return name + "  " + paint.dim(one_line(what.value("description", ""), longest_description));
    };
    const auto methods = activation.value("methods", Json::array());
    Branch branch{described(paint.bold(activation.value("namespace", "?")), activation), {}};
    for (const auto& method : methods)
        if (with_methods && !shown.contains(method.value("hash", "")))
            branch.below.push_back(
                {described(paint.cyan(signature(method.value("name", "?"), method)), method), {}});
    if (shown.empty()) shown = hashes_of(methods);
    for (const auto& child : activation.value("children", Json::array()))
        branch.below.push_back(branch_of(child, with_methods, paint, shown));
    return branch;
}

awaitable<int> show_tree(Client& client, Wish wish, Output& out) {
    const auto whole = co_await whole_schema(client, wish.path);
    if (out.asked_json()) out.line(whole);
    else out.text(draw(branch_of(whole, wish.methods, out.paint())));
    co_return ok;
}

}  // namespace

void add_tree(CLI::App& app, Program& program) {
    auto* command = app.add_subcommand("tree", "Draw the activations");
    const auto wish = std::make_shared<Wish>();
    command->add_option("path", wish->path, "Begin at this activation");
    command->add_flag("-v,--verbose", wish->methods, "Show their methods too");
    command->callback([wish, &program] {
        program.chosen = [wish, &options = program.options](Output& out) {
            return with_client(options, [&](Client& client) { return show_tree(client, *wish, out); });
        };
    });
}

}  // namespace plexus::cli
