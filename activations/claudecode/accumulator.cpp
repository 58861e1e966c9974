#include "activations/claudecode/accumulator.hpp"

#include "activations/claudecode/json_text.hpp"

#include <algorithm>

namespace plexus::claudecode {
namespace {

// Lines of `type` system that say how things go and are no part of the conversation.
constexpr std::string_view known_notices[] = {"background_tasks_changed",
                                              "commands_changed",
                                              "control_request_progress",
                                              "elicitation_complete",
                                              "files_persisted",
                                              "hook_progress",
                                              "hook_response",
                                              "hook_started",
                                              "informational",
                                              "local_command_output",
                                              "memory_recall",
                                              "mirror_error",
                                              "model_fallback",
                                              "model_refusal_fallback",
                                              "model_refusal_no_fallback",
                                              "notification",
                                              "permission_denied",
                                              "plugin_install",
                                              "session_state_changed",
                                              "session_title_changed",
                                              "session_writes_lost",
                                              "task_notification",
                                              "task_progress",
                                              "task_started",
                                              "task_updated",
                                              "thinking_tokens",
                                              "ui_invalidate",
                                              "worker_shutting_down"};
// The same, with a type of their own.
constexpr std::string_view known_types[] = {"auth_status",       "command_lifecycle", "conversation_reset",
                                            "prompt_suggestion", "tool_progress",     "tool_use_summary"};

bool knows(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> owned(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
}

Json parsed(std::string_view text) { return Json::parse(text, nullptr, false); }

// The end of a background task that makes the CLI begin a turn by itself.
bool is_wake_up(const CliMessage& message) {
    const auto* line = std::get_if<SystemLine>(&message.body);
    return line && message.subtype == "task_notification" &&
           (line->status == "completed" || line->status == "failed");
}

std::string status_word(const CliMessage& message, const SystemLine& line) {
    if (message.subtype == "api_retry") return "retry";
    if (message.subtype != "status") return std::string(message.subtype);
    if (!line.status.empty()) return std::string(line.status);
    if (!line.permission_mode.empty()) return "permission_mode";
    return raw_member(message.raw, "compact_result").empty() ? "idle" : "compacted";
}

}  // namespace

void Accumulator::consume(const CliMessage& message) {
    if (!message.session_id.empty() && session_id_ != message.session_id) session_id_ = message.session_id;
    std::visit([&](const auto& body) { on(message, body); }, message.body);
}

void Accumulator::on(const CliMessage& message, const StreamEvent& event) {
    if (!chain_of(message)) start_by_cli();
    if (auto* turn = current()) turn->evidence.retrying.reset();
    auto& chain = *chain_of(message);
    if (builder_.stream(chain, event)) return;
    // No node of its own: a piece of a stream is provisional, its event is enough.
    log_.emit(chain.stream, PassthroughEvent{"stream_event", "", parsed(message.raw)});
}

void Accumulator::on(const CliMessage& message, const AssistantLine& line) {
    if (!line.supersedes.empty()) log_.add(Retracted{owned(line.supersedes)});
    if (!line.error.empty()) {
        // The CLI's own words in the model's name: evidence, never an answer.
        auto* turn = current();
        if (turn && message.parent_tool_use_id.empty())
            turn->evidence.api_error = {std::string(line.error),
                                        line.blocks.empty() ? "" : std::string(line.blocks[0].text),
                                        line.api_status};
        return pass_through(message, "assistant_error", std::string(message.raw));
    }
    auto* chain = chain_of(message);
    if (!chain) return hold(message);
    if (auto* turn = current()) turn->evidence.retrying.reset();
    builder_.assistant(*chain, line, message.uuid);
}

void Accumulator::on(const CliMessage& message, const UserLine& line) {
    if (line.replay && is_echo(message, line)) return;
    auto* chain = chain_of(message);
    if (!chain) return hold(message);
    add_user_line(*chain, message, line);
}

void Accumulator::add_user_line(Chain& chain, const CliMessage& message, const UserLine& line) {
    std::string rest;
    for (const auto& block : line.blocks) {
        if (block.type == "tool_result") {
            builder_.tool_result(chain, block, line.tool_use_result, message.uuid);
            const auto agent = sub_agents_.find(block.tool_use_id);
            if (agent != sub_agents_.end()) builder_.close(agent->second);
        } else {
            rest.append(rest.empty() ? "[" : ",").append(block.raw);
        }
    }
    if (line.blocks.empty()) rest = line.content;
    else if (!rest.empty()) rest += ']';
    if (rest.empty()) return;
    const auto node = builder_.user(chain, std::move(rest), message.uuid, line.synthetic);
    builder_.user_event(chain, node, message.uuid);
}

// A prompt of ours said back to us is stored already; any other replayed line (the output of a slash
// command, a prompt another program queued) is part of the conversation.
bool Accumulator::is_echo(const CliMessage& message, const UserLine& line) {
    if (prompts_.contains(message.uuid)) {
        if (waiting_ && waiting_->prompt_uuid == message.uuid) {
            waiting_->joined = !running_.empty();
            acknowledge(*waiting_, message.uuid);
        }
        for (auto& turn : running_)
            if (turn.prompt_uuid == message.uuid) acknowledge(turn, message.uuid);
        return true;
    }
    auto* turn = current();
    if (!turn || !turn->from_prompt || !turn->prompt_uuid.empty()) return false;
    if (parsed(turn->prompt_content) != parsed(line.content)) return false;
    turn->prompt_uuid = message.uuid;
    prompts_.insert(turn->prompt_uuid);
    acknowledge(*turn, message.uuid);
    return true;
}

void Accumulator::acknowledge(Turn& turn, std::string_view uuid) {
    if (std::exchange(turn.acknowledged, true)) return;
    log_.add(PromptAcknowledged{turn.chain.turn, std::string(uuid)});
}

void Accumulator::on(const CliMessage& message, const SystemLine& line) {
    auto* turn = current();
    if (is_wake_up(message) && running_.empty()) return hold(message);
    if (!line.retracted.empty()) log_.add(Retracted{owned(line.retracted)});
    if (message.subtype == "api_retry" && turn)
        turn->evidence.retrying = {std::string(line.error), "", line.api_status};
    if (message.subtype == "compact_boundary") return notice(message);
    if (message.subtype == "status" || message.subtype == "api_retry" ||
        knows(known_notices, message.subtype))
        return status(status_word(message, line), message);
    pass_through(message, "system/" + std::string(message.subtype), std::string(message.raw));
}

void Accumulator::on(const CliMessage& message, const RateLimitLine& line) {
    if (auto* turn = current(); turn && line.resets_at) turn->evidence.resets_at = line.resets_at;
    status("rate_limit", message);
}

void Accumulator::on(const CliMessage&, const ControlRequest& request) {
    const std::string id(request.request_id);
    asked_.insert(id);
    if (request.subtype != "can_use_tool") {
        log_.add(HostAsked{id, std::string(request.subtype), std::string(request.request)});
        return;
    }
    const auto* turn = current();
    log_.add(PermissionAsked{turn ? turn->chain.stream : no_key, id, std::string(request.tool_name),
                             std::string(request.tool_use_id), std::string(request.agent_id),
                             std::string(request.input), std::string(request.request)});
}

void Accumulator::on(const CliMessage&, const ControlCancel& cancel) {
    asked_.erase(std::string(cancel.request_id));
    log_.add(RequestWithdrawn{std::string(cancel.request_id)});
}

void Accumulator::on(const CliMessage&, const ControlResponse& response) {
    if (asked_.erase(std::string(response.request_id)) > 0) return;  // our own answer, said back to us
    log_.add(ControlAnswered{std::string(response.request_id), response.success, std::string(response.error),
                             std::string(response.response)});
}

void Accumulator::on(const CliMessage&, const TranscriptMirror& mirror) { builder_.finalise(mirror); }

void Accumulator::on(const CliMessage& message, const OtherLine&) {
    if (message.type == "keep_alive") return;
    if (knows(known_types, message.type)) return status(message.type, message);
    if (auto* turn = current(); turn && (message.type.empty() || message.type == "oversize"))
        turn->evidence.garbage = true;
    pass_through(message, message.type.empty() ? "json" : message.type, std::string(message.raw));
}

void Accumulator::on(const CliMessage& message, const Unparsed& line) {
    if (auto* turn = current()) turn->evidence.garbage = true;
    pass_through(message, "unparsed", Json{{"text", line.text}, {"reason", line.reason}}.dump());
}

Chain* Accumulator::chain_of(const CliMessage& message) {
    if (!message.parent_tool_use_id.empty()) return &sub_agent(message);
    auto* turn = current();
    return turn ? &turn->chain : nullptr;
}

Chain& Accumulator::sub_agent(const CliMessage& message) {
    const std::string parent(message.parent_tool_use_id);
    const auto* call = builder_.tool_use(parent);
    auto [found, fresh] = sub_agents_.try_emplace(parent);
    auto& chain = found->second;
    if (fresh) {
        OpenTurn open{log_.new_key(), TurnOrigin::sub_agent, call ? call->node : no_key, parent, {}};
        open.metadata = {{"sidechain", true}};
        for (const auto& [key, value] :
             {std::pair("agent_id", message.agent_id), std::pair("subagent_type", message.subagent_type),
              std::pair("task_description", message.task_description)})
            if (!value.empty()) open.metadata[key] = value;
        chain.turn = open.turn;
        chain.parent_tool_use_id = parent;
        log_.add(std::move(open));
    }
    // A background agent outlives the turn that called it and is then heard in whatever turn is open.
    chain.stream = call && is_open(call->stream) ? call->stream
                   : current()                   ? current()->chain.stream
                                                 : no_key;
    return chain;
}

// A line that is both told and kept in its place in the conversation.
void Accumulator::notice(const CliMessage& message) {
    const auto* turn = current();
    log_.add(AddPassthrough{log_.new_key(), turn ? turn->chain.turn : last_turn_,
                            std::string(message.subtype), std::string(message.raw),
                            std::string(message.uuid)});
    status(message.subtype, message);
}

void Accumulator::pass_through(const CliMessage& message, std::string_view event_type, std::string data) {
    const auto* turn = current();
    const auto node = log_.new_key();
    PassthroughEvent event{std::string(event_type), "", parsed(data)};
    log_.add(AddPassthrough{node, turn ? turn->chain.turn : last_turn_, std::string(event_type),
                            std::move(data), std::string(message.uuid)});
    log_.emit(turn ? turn->chain.stream : no_key, std::move(event), node);
}

void Accumulator::status(std::string_view word, const CliMessage& message) {
    auto data = parsed(message.raw);
    for (const auto* key : {"type", "subtype", "uuid", "session_id"}) data.erase(key);
    const auto* turn = current();
    log_.emit(turn ? turn->chain.stream : no_key, StatusEvent{std::string(word), std::move(data)});
}

}  // namespace plexus::claudecode
