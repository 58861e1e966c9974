#include "tests/fake_agent/lines.hpp"

#include "tests/fake_agent/ids.hpp"

#include <cstdlib>
#include <filesystem>

namespace plexus::fake_agent {

namespace {

const Json tools = {"Task", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Read", "WebFetch", "Write"};

Json usage_so_far(const Usage& usage) {
    return {{"input_tokens", usage.input},
            {"cache_creation_input_tokens", 0},
            {"cache_read_input_tokens", 0},
            {"output_tokens", 1},
            {"cache_creation", {{"ephemeral_5m_input_tokens", 0}, {"ephemeral_1h_input_tokens", 0}}},
            {"service_tier", "standard"}};
}

Json usage_of_turn(const Usage& usage) {
    return {{"input_tokens", usage.input},
            {"cache_creation_input_tokens", 0},
            {"cache_read_input_tokens", 0},
            {"output_tokens", usage.output},
            {"output_tokens_details", {{"thinking_tokens", 0}}},
            {"server_tool_use", {{"web_search_requests", 0}, {"web_fetch_requests", 0}}},
            {"service_tier", "standard"},
            {"cache_creation", {{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", 0}}},
            {"iterations", Json::array()},
            {"speed", "standard"}};
}

Json usage_of_model(const Session& session) {
    const auto& total = session.total;
    if (total.input + total.output == 0) return Json::object();
    return {{session.model,
             {{"inputTokens", total.input},
              {"outputTokens", total.output},
              {"cacheReadInputTokens", 0},
              {"cacheCreationInputTokens", 0},
              {"webSearchRequests", 0},
              {"costUSD", total.cost()},
              {"contextWindow", 1000000},
              {"maxOutputTokens", 128000}}}};
}

}  // namespace

Json init(const Session& session) {
    const auto here = std::filesystem::current_path().string();
    return {{"type", "system"},
            {"subtype", "init"},
            {"cwd", here},
            {"session_id", session.options.session_id},
            {"tools", tools},
            {"mcp_servers", Json::array()},
            {"model", session.model},
            {"permissionMode", session.permission_mode},
            {"slash_commands", {"clear", "compact", "context", "usage"}},
            {"apiKeySource", "none"},
            {"claude_code_version", cli_version},
            {"output_style", "default"},
            {"agents", {"claude", "Explore", "general-purpose", "Plan"}},
            {"skills", Json::array()},
            {"plugins", Json::array()},
            {"capabilities", {"interrupt_receipt_v1", "interrupt_cancel_queued_v1"}},
            {"uuid", new_uuid()},
            {"original_cwd", here},
            {"fast_mode_state", "off"}};
}

Json status(const Session& session, const std::vector<std::string>& prompts) {
    Json line = {{"type", "system"},
                 {"subtype", "status"},
                 {"status", "requesting"},
                 {"session_id", session.options.session_id},
                 {"uuid", new_uuid()}};
    if (!prompts.empty()) line["user_message_uuids"] = prompts;
    return line;
}

Json replay(const Session& session, const Json& content, const std::string& uuid) {
    return {{"type", "user"},
            {"message", {{"role", "user"}, {"content", content}}},
            {"session_id", session.options.session_id},
            {"parent_tool_use_id", nullptr},
            {"uuid", uuid},
            {"timestamp", now_text()},
            {"isReplay", true}};
}

Json lifecycle(const Session& session, const std::string& prompt, const char* state) {
    return {{"type", "command_lifecycle"},
            {"command_uuid", prompt},
            {"state", state},
            {"uuid", new_uuid()},
            {"session_id", session.options.session_id}};
}

Json state_changed(const Session& session, const char* state) {
    return {{"type", "system"},
            {"subtype", "session_state_changed"},
            {"state", state},
            {"uuid", new_uuid()},
            {"session_id", session.options.session_id}};
}

Json stream_event(const Session& session, Json event, const std::string& message) {
    return {{"type", "stream_event"},
            {"event", std::move(event)},
            {"session_id", session.options.session_id},
            {"parent_tool_use_id", nullptr},
            {"uuid", new_uuid()},
            {"api_message_id", message}};
}

Json message_start(const Session& session, const std::string& message, const Usage& usage) {
    auto line = stream_event(session,
                             {{"type", "message_start"},
                              {"message",
                               {{"id", message},
                                {"type", "message"},
                                {"role", "assistant"},
                                {"model", session.model},
                                {"content", Json::array()},
                                {"stop_reason", nullptr},
                                {"stop_sequence", nullptr},
                                {"usage", usage_so_far(usage)}}}},
                             message);
    line["ttft_ms"] = 1;
    return line;
}

Json assistant(const Session& session, const std::string& message, Json block, const Usage& usage) {
    return {{"type", "assistant"},
            {"message",
             {{"id", message},
              {"type", "message"},
              {"role", "assistant"},
              {"model", session.model},
              {"content", Json::array({std::move(block)})},
              {"stop_reason", nullptr},
              {"stop_sequence", nullptr},
              {"usage", usage_so_far(usage)},
              {"context_management", nullptr}}},
            {"parent_tool_use_id", nullptr},
            {"session_id", session.options.session_id},
            {"uuid", new_uuid()},
            {"timestamp", now_text()},
            {"request_id", new_id("req_01")}};
}

Json user(const Session& session, Json content) {
    return {{"type", "user"},
            {"message", {{"role", "user"}, {"content", std::move(content)}}},
            {"parent_tool_use_id", nullptr},
            {"session_id", session.options.session_id},
            {"uuid", new_uuid()},
            {"timestamp", now_text()}};
}

Json tool_result(const Session& session, const std::string& tool, const Json& content, bool is_error,
                 Json structured) {
    auto line = user(
        session,
        Json::array({Json{
            {"tool_use_id", tool}, {"type", "tool_result"}, {"content", content}, {"is_error", is_error}}}));
    line["tool_use_result"] = std::move(structured);
    return line;
}

Json api_retry(const Session& session, int attempt, int retries, int status) {
    return {{"type", "system"},
            {"subtype", "api_retry"},
            {"attempt", attempt},
            {"max_retries", retries},
            {"retry_delay_ms", 600},
            {"error_status", status},
            {"error", error_name(status)},
            {"session_id", session.options.session_id},
            {"uuid", new_uuid()}};
}

Json api_error(const Session& session, int status) {
    auto line = assistant(session, new_uuid(), {{"type", "text"}, {"text", error_text(status)}}, {});
    line["message"]["model"] = "<synthetic>";
    line["message"]["stop_reason"] = "stop_sequence";
    line["message"]["stop_sequence"] = "";
    line["error"] = error_name(status);
    line["is_api_error_message"] = true;
    line["api_error_status"] = status;
    return line;
}

// The real one does not begin with its type either: readers must parse, not sniff.
Json result(const Session& session, const Outcome& outcome) {
    Json line = {{"duration_api_ms", outcome.duration_ms},
                 {"stop_reason", outcome.stop_reason},
                 {"session_id", session.options.session_id},
                 {"total_cost_usd", session.total.cost()},
                 {"usage", usage_of_turn(outcome.usage)},
                 {"modelUsage", usage_of_model(session)},
                 {"permission_denials", outcome.denials},
                 {"terminal_reason", outcome.terminal_reason},
                 {"fast_mode_state", "off"},
                 {"is_error", outcome.is_error},
                 {"num_turns", outcome.api_messages},
                 {"subtype", outcome.subtype}};
    if (outcome.subtype == "success") {
        line["api_error_status"] = outcome.api_error_status;
        line["result"] = outcome.text;
    }
    if (!outcome.errors.is_null()) line["errors"] = outcome.errors;
    line["type"] = "result";
    line["duration_ms"] = outcome.duration_ms;
    line["uuid"] = new_uuid();
    if (!outcome.prompts.empty()) {
        line["user_message_uuid"] = outcome.prompts.back();
        line["user_message_uuids"] = outcome.prompts;
    }
    line["queued_turn_count"] = 0;
    line["result_index"] = session.results;
    return line;
}

Json mirror(const Session& session, Json entries) {
    const char* config = std::getenv("CLAUDE_CONFIG_DIR");
    const char* home = std::getenv("HOME");
    const auto base = config ? std::string(config) : std::string(home ? home : "") + "/.claude";
    return {{"type", "transcript_mirror"},
            {"filePath", base + "/projects/fake/" + session.options.session_id + ".jsonl"},
            {"entries", std::move(entries)}};
}

Json control_success(const std::string& request, Json response) {
    Json body = {{"subtype", "success"}, {"request_id", request}};
    if (!response.is_null()) body["response"] = std::move(response);
    return {{"type", "control_response"}, {"response", body}};
}

Json control_error(const std::string& request, const std::string& text, const char* code) {
    return {
        {"type", "control_response"},
        {"response", {{"subtype", "error"}, {"request_id", request}, {"error", text}, {"error_code", code}}}};
}

const char* error_name(int status) {
    switch (status) {
        case 401:
        case 403:
            return "authentication_failed";
        case 402:
            return "billing_error";
        case 404:
            return "model_not_found";
        case 400:
        case 413:
            return "invalid_request";
        case 429:
            return "rate_limit";
        default:
            return status >= 500 ? "server_error" : "unknown";
    }
}

std::string error_text(int status) {
    if (status == 402) return "Credit balance is too low";
    if (status == 413) return "Request too large (max 32MB).";
    if (status == 429) return "API Error: Request rejected (429) · Fake error 429";
    return "API Error: " + std::to_string(status) + " Fake error " + std::to_string(status);
}

}  // namespace plexus::fake_agent
