#include "activations/claudecode/command_line.hpp"

#include "schema/rpc.hpp"

#include <algorithm>

namespace plexus::claudecode {

using schema::Failure;

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string line(const Json& json) { return schema::to_json_text(json) + "\n"; }

}  // namespace

std::vector<std::string> command_line(const std::string& binary, const Session& session, const Entry& entry,
                                      const std::string& mcp_config_file) {
    const auto& settings = session.settings;
    std::vector<std::string> argv{
        binary, "-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose",
        "--include-partial-messages", "--replay-user-messages", "--session-mirror",
        // A repository's own settings and servers are code: only the user's count.
        "--setting-sources=user", "--strict-mcp-config", "--model=" + session.model};
    if (settings.loopback_enabled) argv.emplace_back("--permission-prompt-tool=stdio");
    if (settings.permission_mode != PermissionMode::default_)
        argv.push_back("--permission-mode=" +
                       std::string(schema::Codec<PermissionMode>::name(settings.permission_mode)));
    if (!settings.allowed_tools.empty()) argv.push_back("--allowedTools=" + joined(settings.allowed_tools));
    if (!settings.disallowed_tools.empty())
        argv.push_back("--disallowedTools=" + joined(settings.disallowed_tools));
    if (settings.max_turns) argv.push_back("--max-turns=" + std::to_string(*settings.max_turns));
    if (settings.max_budget_usd) argv.push_back("--max-budget-usd=" + Json(*settings.max_budget_usd).dump());
    if (!mcp_config_file.empty()) argv.push_back("--mcp-config=" + mcp_config_file);
    if (!entry.resume.empty()) argv.push_back("--resume=" + entry.resume);
    if (entry.fork) argv.emplace_back("--fork-session");
    if (entry.resume.empty() || entry.fork) argv.push_back("--session-id=" + entry.session_id);
    return argv;
}

void require_model(const std::string& model) {
    const bool fine =
        !model.empty() && model.size() <= 128 && is_word(model[0]) && std::ranges::all_of(model, [](char c) {
            return is_word(c) || std::string_view("-._:/@[]").find(c) != std::string_view::npos;
        });
    if (!fine)
        throw Failure(
            schema::invalid_params("/model must be a model's name such as sonnet, opus or haiku, not " +
                                   schema::json_string(model.substr(0, 60))));
}

void require_name(const std::string& name, std::string_view field) {
    const bool control =
        std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (name.empty() || name.size() > 200 || control)
        throw Failure(schema::invalid_params("/" + std::string(field) +
                                             " must be 1 to 200 bytes without control characters"));
}

void require_tools(const std::vector<std::string>& tools, std::string_view field) {
    for (const auto& tool : tools) {
        const bool control =
            std::ranges::any_of(tool, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
        if (tool.empty() || tool.size() > 1024 || control ||
            !(is_word(tool[0]) || tool[0] == '_' || tool[0] == '*'))
            throw Failure(schema::invalid_params("/" + std::string(field) +
                                                 " must hold tool rules such as Read or Bash(git *), not " +
                                                 schema::json_string(tool.substr(0, 60))));
    }
}

std::string prompt_line(const std::string& content, const std::string& uuid) {
    // Spliced: the content is JSON text already, and may be ten megabytes.
    return R"({"type":"user","message":{"role":"user","content":)" + content +
           R"(},"parent_tool_use_id":null,"session_id":"","uuid":")" + uuid + "\"}\n";
}

std::string control_line(const std::string& request_id, const Json& request) {
    return line({{"type", "control_request"}, {"request_id", request_id}, {"request", request}});
}

std::string answer_line(const std::string& request_id, const Json& response) {
    return line({{"type", "control_response"},
                 {"response", {{"subtype", "success"}, {"request_id", request_id}, {"response", response}}}});
}

std::string error_line(const std::string& request_id, const std::string& error) {
    return line({{"type", "control_response"},
                 {"response", {{"subtype", "error"}, {"request_id", request_id}, {"error", error}}}});
}

Json initialize_request(const Settings& settings) {
    Json request = {{"subtype", "initialize"}, {"forwardSubagentText", true}};
    if (settings.system_prompt) request["systemPrompt"] = Json::array({*settings.system_prompt});
    if (settings.append_system_prompt) request["appendSystemPrompt"] = *settings.append_system_prompt;
    return request;
}

}  // namespace plexus::claudecode
