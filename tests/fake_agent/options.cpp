#include "tests/fake_agent/options.hpp"

#include "tests/fake_agent/ids.hpp"

#include <functional>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace plexus::fake_agent {

namespace {

// Flags whose next word is their value, although we do nothing with it: it is not the prompt.
const std::set<std::string> skipped_with_value = {"--append-system-prompt",
                                                  "--system-prompt",
                                                  "--mcp-config",
                                                  "--allowedTools",
                                                  "--allowed-tools",
                                                  "--disallowedTools",
                                                  "--disallowed-tools",
                                                  "--tools",
                                                  "--add-dir",
                                                  "--max-turns",
                                                  "--max-budget-usd",
                                                  "--settings",
                                                  "--setting-sources",
                                                  "--fallback-model",
                                                  "--effort",
                                                  "--agents",
                                                  "--json-schema",
                                                  "--betas"};

void check(const Options& options) {
    if (!options.session_id.empty() && !is_uuid(options.session_id)) {
        throw std::runtime_error("Error: Invalid session ID. Must be a valid UUID.");
    }
    if (!options.session_id.empty() && !options.resumed.empty() && !options.fork) {
        throw std::runtime_error(
            "Error: --session-id with --continue or --resume also needs --fork-session.");
    }
    if (options.output_format == "stream-json" && !options.verbose) {
        throw std::runtime_error("Error: When using --print, --output-format=stream-json requires --verbose");
    }
    if (options.replay && (options.input_format != "stream-json" || options.output_format != "stream-json")) {
        throw std::runtime_error(
            "Error: --replay-user-messages requires both --input-format=stream-json and "
            "--output-format=stream-json.");
    }
}

}  // namespace

bool is_uuid(const std::string& text) {
    static const std::regex shape("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    return std::regex_match(text, shape);
}

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    std::string permission_tool;
    const std::map<std::string, std::string*> valued = {{"--input-format", &options.input_format},
                                                        {"--output-format", &options.output_format},
                                                        {"--model", &options.model},
                                                        {"--permission-mode", &options.permission_mode},
                                                        {"--permission-prompt-tool", &permission_tool},
                                                        {"--session-id", &options.session_id},
                                                        {"--resume", &options.resumed},
                                                        {"-r", &options.resumed},
                                                        {"--resume-session-at", &options.resumed_at}};
    const std::map<std::string, bool*> switches = {{"--version", &options.show_version},
                                                   {"-v", &options.show_version},
                                                   {"--help", &options.show_help},
                                                   {"--verbose", &options.verbose},
                                                   {"--include-partial-messages", &options.partial},
                                                   {"--replay-user-messages", &options.replay},
                                                   {"--session-mirror", &options.mirror},
                                                   {"--dangerously-skip-permissions", &options.bypass},
                                                   {"--fork-session", &options.fork}};

    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& word = arguments[i];
        const auto equals = word.starts_with("--") ? word.find('=') : word.npos;
        const auto name = word.substr(0, equals);
        const bool more = i + 1 < arguments.size();
        if (const auto flag = switches.find(name); flag != switches.end()) {
            *flag->second = true;
        } else if (const auto value = valued.find(name); value != valued.end()) {
            if (equals != word.npos) *value->second = word.substr(equals + 1);
            else if (more) *value->second = arguments[++i];
        } else if (skipped_with_value.contains(name)) {
            if (equals == word.npos && more) ++i;
        } else if (!word.starts_with("-")) {
            options.prompt = word;
        }
    }
    check(options);
    options.ask_on_stdio = permission_tool == "stdio";
    options.bypass = options.bypass || options.permission_mode == "bypassPermissions";
    if (options.bypass) options.permission_mode = "bypassPermissions";
    if (options.session_id.empty() && !options.fork) options.session_id = options.resumed;
    if (!is_uuid(options.session_id)) options.session_id = new_uuid();
    return options;
}

}  // namespace plexus::fake_agent
