// The control requests of a client, answered as the real CLI answers them.
#include "tests/fake_agent/agent.hpp"
#include "tests/fake_agent/ids.hpp"

#include <unistd.h>

namespace plexus::fake_agent {

namespace {

const std::set<std::string> modes = {"acceptEdits", "auto",    "bypassPermissions",
                                     "default",     "dontAsk", "plan"};

}  // namespace

Json Agent::initialize() const {
    Json models = Json::array({Json{{"value", "default"}, {"resolvedModel", session.options.model}}});
    return {{"commands", Json::array()},
            {"agents", Json::array()},
            {"output_style", "default"},
            {"models", models},
            {"account", {{"tokenSource", "none"}, {"apiKeySource", "none"}, {"apiProvider", "fake"}}},
            {"pid", ::getpid()},
            {"claude_code_version", cli_version},
            {"current_permission_mode", session.permission_mode},
            {"session_state", in_turn_ ? "running" : "idle"},
            {"capabilities", Json::array()}};
}

void Agent::take_control(const Json& line) {
    const auto id = line.value("request_id", "");
    const auto request = line.value("request", Json::object());
    const auto subtype = request.value("subtype", "");
    if (subtype == "initialize") {
        write_line(control_success(id, initialize()));
    } else if (subtype == "interrupt") {
        if (!awaited_.empty()) write_line({{"type", "control_cancel_request"}, {"request_id", awaited_}});
        if (request.value("cancel_queued", false)) queue_.clear();
        Json queued = Json::array();
        for (const auto& prompt : queue_) queued.push_back(prompt.uuid);
        write_line(control_success(id, {{"still_queued", queued}}));
        interrupted_ = in_turn_;
    } else if (subtype == "set_model") {
        session.model = request.value("model", session.options.model);
        const auto said = "<local-command-stdout>Set model to `" + session.model + "`</local-command-stdout>";
        print(replay(session, said, new_uuid()));
        write_line(control_success(id, {{"model", session.model}}));
    } else if (subtype == "set_permission_mode") {
        const auto mode = request.value("mode", "");
        if (!modes.contains(mode))
            return write_line(control_error(id,
                                            "Cannot set permission mode: must be one of acceptEdits, auto, "
                                            "bypassPermissions, default, dontAsk, plan",
                                            "invalid_mode"));
        if (mode == "bypassPermissions" && !session.options.bypass)
            return write_line(control_error(id,
                                            "Cannot set permission mode to bypassPermissions because the "
                                            "session was not launched with --dangerously-skip-permissions",
                                            "bypass_not_launched"));
        session.permission_mode = mode;
        write_line(control_success(id, {{"mode", mode}}));
        print({{"type", "system"},
               {"subtype", "status"},
               {"status", nullptr},
               {"permissionMode", mode},
               {"uuid", new_uuid()},
               {"session_id", session.options.session_id}});
    } else if (subtype == "end_session") {
        write_line(control_success(id, nullptr));
        leave(0);
    } else if (subtype == "rewind_conversation") {
        rewind(id, request);
    } else if (subtype == "rewind_files") {
        write_line(control_success(id, {{"canRewind", true}}));
    } else if (subtype == "get_binary_version") {
        write_line(control_success(id, {{"version", cli_version}}));
    } else if (subtype == "set_max_thinking_tokens") {
        write_line(control_success(id, nullptr));
    } else {
        write_line(
            control_error(id, "Unsupported control request subtype: " + subtype, "unsupported_request"));
    }
}

void Agent::rewind(const std::string& id, const Json& request) {
    const auto target = request.value("target_message_uuid", "");
    for (std::size_t i = 0; i < history.size() && !in_turn_; ++i) {
        if (history[i].first != target) continue;
        const auto text = history[i].second;
        history.resize(i);
        return write_line(control_success(id, {{"rewound", true},
                                               {"targetMessageUuid", target},
                                               {"prefillText", text},
                                               {"precedingAssistantUuid", nullptr}}));
    }
    const auto* reason = in_turn_ ? "turn running" : "target not found";
    write_line(control_success(id, {{"rewound", false},
                                    {"prefillText", nullptr},
                                    {"precedingAssistantUuid", nullptr},
                                    {"error", reason}}));
}

}  // namespace plexus::fake_agent
