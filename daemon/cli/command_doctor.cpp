// plexusctl doctor: looks at everything a connection needs, in order, and says what to do about what is
// wrong.
#include "daemon/cli/connect.hpp"
#include "daemon/cli/exit.hpp"
#include "daemon/cli/program.hpp"
#include "daemon/config/config.hpp"

#include <CLI/CLI.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace plexus::cli {

using schema::Error;
using schema::Failure;

namespace {

enum class Verdict { good, remark, bad };
DESCRIBE_ENUM(Verdict, good, remark, bad)

class Findings {
public:
    explicit Findings(Output& out) : out_(out) {}

    void good(std::string what) { tell(Verdict::good, std::move(what), ""); }
    void remark(std::string what, std::string advice) {
        tell(Verdict::remark, std::move(what), std::move(advice));
    }
    void bad(std::string what, std::string advice, Exit status = failed) {
        if (status_ == ok) status_ = status;
        tell(Verdict::bad, std::move(what), std::move(advice));
    }
    Exit status() const { return status_; }

private:
    void tell(Verdict verdict, std::string what, std::string advice) {
        if (out_.asked_json())
            return out_.line({{"verdict", schema::encode(verdict)}, {"what", what}, {"advice", advice}});
        const auto& paint = out_.paint();
        const auto mark = verdict == Verdict::good     ? paint.green("ok  ")
                          : verdict == Verdict::remark ? paint.yellow("note")
                                                       : paint.red("BAD ");
        out_.text(mark + "  " + printable(what) + "\n");
        if (!advice.empty()) out_.text("      → " + printable(advice) + "\n");
    }

    Output& out_;
    Exit status_ = ok;
};

// Nothing when it does not exist.
std::optional<struct stat> facts_of(const std::string& path) {
    struct stat facts{};
    return ::stat(path.c_str(), &facts) == 0 ? std::optional(facts) : std::nullopt;
}

void check_private(const std::string& name, const std::string& path, const char* mode, Findings& findings) {
    const auto facts = facts_of(path);
    if (!facts)
        return findings.remark("There is no " + name + " " + path,
                               "The daemon makes it when it first starts");
    if (facts->st_uid != ::geteuid())
        return findings.remark("The " + name + " " + path + " belongs to another user",
                               "Run plexusctl as that user");
    if ((facts->st_mode & 077) != 0)
        return findings.bad("Other users can reach the " + name + " " + path,
                            std::string("chmod ") + mode + " " + path);
    findings.good("The " + name + " " + path + " is there, and private");
}

awaitable<void> examine(Client& client, Findings& findings) {
    findings.good("plexusd " + client.hub_version() + " answers at " + client.place().text() + " as " +
                  client.hub_name());
    if (client.hub_version() != PLEXUS_VERSION)
        findings.remark("plexusctl is version " PLEXUS_VERSION ", the daemon " + client.hub_version(),
                        "Restart the daemon after an update: systemctl --user restart plexusd");
    const auto identity = co_await client.ask("access.whoami");
    std::string scopes;
    for (const auto& scope : identity.value("scopes", std::vector<std::string>()))
        scopes += (scopes.empty() ? "" : ", ") + scope;
    const auto known = "The daemon knows you as " + identity.value("name", "?") + ", with scopes " + scopes;
    if (scopes.ends_with("admin")) findings.good(known);
    else findings.remark(known, "For admin use the unix socket, or show the token with --token");

    const auto health = co_await client.ask("health.check");
    if (health.value("status", "") == "healthy") findings.good("The daemon is healthy");
    for (const auto& problem : health.value("problems", std::vector<std::string>()))
        findings.bad("The daemon is not well: " + problem, "");
}

awaitable<bool> visit(Place place, Token token, Findings& findings) {
    std::optional<Error> problem;
    std::unique_ptr<Client> client;
    try {
        client = co_await connect(place, token);
        co_await examine(*client, findings);
    } catch (const Failure& failure) {
        problem = failure.error();
    }
    if (client) co_await client->close();
    if (!problem) co_return true;
    const auto status = exit_code(*problem);
    if (status == not_reachable) findings.remark(problem->message, "");
    else if (status == auth)
        findings.bad(problem->message, "The token is the file `token` in the daemon's state directory", auth);
    else findings.bad(problem->message, "");
    co_return status != not_reachable;
}

awaitable<int> doctor(Options options, Output& out) {
    Findings findings(out);
    const auto around = look_around(options, config::process_environment()).value();
    if (around.config_problem)
        findings.bad(around.config_problem->message,
                     "Mend the file; `plexusd config check` says when it is right");
    else findings.good("The configuration is right");
    check_private("state directory", around.state_dir.string(), "700", findings);
    check_private("token", (around.state_dir / "token").string(), "600", findings);
    bool found = false;
    for (const auto& place : around.places)
        if (!found) found = co_await visit(place, around.token, findings);
    if (!found)
        findings.bad(
            "No daemon answers",
            "Start one with `plexusd`, or `systemctl --user start plexusd` where its units are installed",
            not_reachable);
    co_return findings.status();
}

}  // namespace

void add_doctor(CLI::App& app, Program& program) {
    app.add_subcommand("doctor", "Find out why the daemon cannot be reached, and what to do")
        ->callback([&program] {
            program.chosen = [&options = program.options](Output& out) { return doctor(options, out); };
        });
}

}  // namespace plexus::cli
