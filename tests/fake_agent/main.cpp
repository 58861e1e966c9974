// fake-agent: a stand-in for the claude CLI that needs no key and no network. See README.md beside this file.
#include "tests/fake_agent/agent.hpp"
#include "tests/fake_agent/ids.hpp"
#include "tests/fake_agent/recording.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace plexus::fake_agent;

namespace {

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value && value == std::string_view("1");
}

void listen_to_signals() {
    // The real CLI turns these into exit codes; SIGINT ends the turn first.
    ::signal(SIGTERM, [](int) { std::_Exit(143); });
    ::signal(SIGHUP, [](int) { std::_Exit(129); });
    ::signal(SIGPIPE, SIG_IGN);
    struct sigaction interrupt{};
    interrupt.sa_handler = [](int) { interrupt_signalled = 1; };
    ::sigaction(SIGINT, &interrupt, nullptr);  // without SA_RESTART: a waiting poll must notice
}

void log_start(const std::vector<std::string>& arguments) {
    Json names = Json::array(), open = Json::array();
    for (char** entry = environ; *entry; ++entry)
        names.push_back(std::string(*entry, std::string_view(*entry).find('=')));
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const auto target = std::filesystem::read_symlink(entry.path()).string();
        if (!target.starts_with("/proc/")) open.push_back(std::stoi(entry.path().filename()));
    }
    log({{"argv", arguments},
         {"environment", names},
         {"cwd", std::filesystem::current_path().string()},
         {"descriptors", open},
         {"pid", ::getpid()}});
}

int refuse_resume(const Options& options) {
    const auto sentence = "No conversation found with session ID: " + options.resumed;
    Outcome outcome;
    outcome.subtype = "error_during_execution";
    outcome.is_error = true;
    outcome.stop_reason = nullptr;
    outcome.api_messages = 0;
    outcome.errors = Json::array({sentence});
    if (options.output_format == "stream-json")
        write_line(result({options, options.model, options.permission_mode, {}, 0}, outcome));
    std::cerr << sentence << "\n";
    return 1;
}

}  // namespace

int main(int count, char** words) try {
    const std::vector<std::string> arguments(words + 1, words + count);
    log_start(arguments);
    const auto options = parse(arguments);
    if (options.show_version) {
        const char* version = std::getenv("FAKE_AGENT_VERSION");
        std::cout << (version ? version : cli_version) << " (Claude Code)\n";
        return 0;
    }
    if (options.show_help) {
        std::cout << "fake-agent: a stand-in for the claude CLI. Prompts \"#fake name {...}\" direct it; see "
                     "its README.\n";
        return 0;
    }
    listen_to_signals();
    if (!options.resumed.empty() && is_set("FAKE_AGENT_REFUSE_RESUME")) return refuse_resume(options);
    if (const char* folder = std::getenv("FAKE_AGENT_RECORDING")) return play_recording(folder, options);
    Agent agent(options);
    agent.leave(options.input_format == "stream-json" ? agent.serve() : agent.answer_once());
} catch (const std::exception& wrong) {
    std::cerr << wrong.what() << "\n";
    return 1;
}
