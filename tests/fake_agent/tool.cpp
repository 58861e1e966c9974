// Tools that need permission, from the question to the result.
#include "tests/fake_agent/ids.hpp"
#include "tests/fake_agent/turn.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

namespace plexus::fake_agent {

namespace {

struct Done {
    std::string text;
    bool failed = false;
};

Done run_bash(const std::string& script) {
    Done done;
    FILE* pipe = ::popen(("( " + script + "\n) 2>&1 </dev/null").c_str(), "r");
    if (!pipe) return {"cannot run it", true};
    std::array<char, 4096> chunk;
    while (const auto n = std::fread(chunk.data(), 1, chunk.size(), pipe)) done.text.append(chunk.data(), n);
    done.failed = ::pclose(pipe) != 0;
    while (!done.text.empty() && done.text.back() == '\n') done.text.pop_back();
    if (done.text.empty()) done.text = "(Bash completed with no output)";
    return done;
}

Done perform(const std::string& name, const Json& input) {
    if (name == "Bash") return run_bash(input.value("command", "true"));
    if (name == "Write") {
        const auto path = input.value("file_path", "");
        std::ofstream file(path);
        file << input.value("content", "");
        return {file ? "File created successfully at: " + path : "cannot write " + path, !file};
    }
    return {name + " completed"};
}

}  // namespace

void Turn::tool_with_permission(const std::string& tool, const std::string& name, const Json& input) {
    auto& session = agent.session;
    const auto refuse = [&](const std::string& why) {
        denials_.push_back({{"tool_name", name}, {"tool_use_id", tool}, {"tool_input", input}});
        tool_result(tool, why, true);
    };
    auto allowed_input = input;
    const bool free = session.permission_mode == "bypassPermissions" || agent.always_allowed.contains(name);
    if (!free && !session.options.ask_on_stdio) {
        const auto why = "Claude requested permissions to use " + name + ", but you haven't granted it yet.";
        agent.print({{"type", "system"},
                     {"subtype", "permission_denied"},
                     {"tool_name", name},
                     {"tool_use_id", tool},
                     {"message", why},
                     {"uuid", new_uuid()},
                     {"session_id", session.options.session_id}});
        return refuse(why);
    }
    if (!free) {
        const auto rule = input.value("command", input.value("file_path", "*"));
        const auto reply = agent.ask(
            {{"subtype", "can_use_tool"},
             {"tool_name", name},
             {"display_name", name},
             {"input", input},
             {"description", input.value("description", "Run a command")},
             {"permission_suggestions",
              Json::array({Json{{"type", "addRules"},
                                {"rules", Json::array({Json{{"toolName", name}, {"ruleContent", rule}}})},
                                {"behavior", "allow"},
                                {"destination", "session"}}})},
             {"tool_use_id", tool}});
        if (!reply)
            return refuse(
                "Tool permission request failed: Error: Tool permission stream closed before response "
                "received");
        if (reply->value("subtype", "") != "success")
            return refuse("Tool permission request failed: Error: " + reply->value("error", "unknown"));
        const auto verdict = reply->value("response", Json::object());
        const auto behavior = verdict.value("behavior", "");
        if (behavior == "deny") {
            if (verdict.value("interrupt", false)) {
                denials_.push_back({{"tool_name", name}, {"tool_use_id", tool}, {"tool_input", input}});
                throw Interrupted{};
            }
            return refuse(verdict.value("message", "denied"));
        }
        if (behavior != "allow")
            return refuse("Tool permission request failed: ZodError: the response has the wrong shape");
        allowed_input = verdict.value("updatedInput", input);
        if (!verdict.value("updatedPermissions", Json::array()).empty()) agent.always_allowed.insert(name);
    }
    const auto done = perform(name, allowed_input);
    tool_result(tool, done.text, done.failed);
}

}  // namespace plexus::fake_agent
