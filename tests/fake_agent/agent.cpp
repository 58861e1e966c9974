#include "tests/fake_agent/agent.hpp"

#include "tests/fake_agent/ids.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace plexus::fake_agent {

volatile int interrupt_signalled = 0;

namespace {

std::string text_of(const Json& content) {
    if (content.is_string()) return content;
    std::string text;
    for (const auto& block : content) {
        if (block.value("type", "") == "text") text += block.value("text", "");
    }
    return text;
}

bool wants_state_events() {
    const char* value = std::getenv("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS");
    return value && value == std::string_view("1");
}

}  // namespace

Agent::Agent(Options options) {
    session.model = options.model;
    session.permission_mode = options.permission_mode;
    session.options = std::move(options);
}

void Agent::print(const Json& line) const {
    if (session.options.output_format == "stream-json") write_line(line);
}

void Agent::leave(int code) const {
    log({{"exit", code}});
    std::_Exit(code);
}

int Agent::serve() {
    for (;;) {
        if (!queue_.empty()) {
            run(next_prompt());
            continue;
        }
        if (interrupt_signalled) return 0;
        if (input_.ended()) {
            if (!ignores_end) return last_was_error_ ? 1 : 0;
            ::pause();
        } else if (const auto line = input_.line(-1)) {
            take(*line);
        }
    }
}

int Agent::answer_once() {
    auto text = session.options.prompt;
    if (text.empty()) {
        while (const auto line = input_.line(-1)) text += (text.empty() ? "" : "\n") + *line;
    }
    run({text, text, new_uuid(), {}});
    return last_was_error_ ? 1 : 0;
}

void Agent::wait(int ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (const auto line = input_.line(left > 0 && !input_.ended() ? static_cast<int>(left) : 0))
            take(*line);
        else if (left > 0 && input_.ended()) ::usleep(static_cast<useconds_t>(left) * 1000);
        if (interrupted_ || interrupt_signalled) {
            interrupted_ = false;
            throw Interrupted{};
        }
        if (left <= 0) return;
    }
}

std::optional<Json> Agent::ask(const Json& request) {
    awaited_ = new_uuid();
    answer_.reset();
    write_line({{"type", "control_request"}, {"request_id", awaited_}, {"request", request}});
    if (wants_state_events()) print(state_changed(session, "requires_action"));
    while (!answer_ && !input_.ended() && !interrupted_ && !interrupt_signalled) {
        if (const auto line = input_.line(-1)) take(*line);
    }
    const auto asked = std::exchange(awaited_, "");
    if (!answer_ && !input_.ended()) {
        interrupted_ = false;
        throw Interrupted{};
    }
    return std::exchange(answer_, {});
}

void Agent::take(const std::string& text) {
    const auto line = Json::parse(text, nullptr, false);
    const auto type = line.is_object() ? line.value("type", "") : "";
    if (line.is_discarded()) {
        std::cerr << "Error parsing streaming input line (type=unknown, " << text.size()
                  << " chars): SyntaxError\n";
        leave(1);
    }
    if (type == "user") take_user(line);
    if (type == "control_request") take_control(line);
    if (type == "assistant") write_line(line);  // injected history
    if (type == "control_response") {
        const auto& response = line.at("response");
        if (session.options.replay) write_line(line);
        if (response.value("request_id", "") == awaited_ && !awaited_.empty()) answer_ = response;
    }
}

void Agent::take_user(const Json& line) {
    if (!line.contains("message") || !line["message"].contains("role")) {
        std::cerr << "Error: Expected message role 'user', got 'undefined'\n";
        leave(1);
    }
    const auto content = line["message"].value("content", Json(""));
    const auto uuid = line.value("uuid", "");
    if (!uuid.empty() && !seen_.insert(uuid).second) return print(replay(session, content, uuid));
    Prompt prompt{text_of(content), content, uuid.empty() ? new_uuid() : uuid, {}};
    if (!uuid.empty()) {
        prompt.given.push_back(uuid);
        if (wants_state_events() && !in_turn_ && queue_.empty()) print(state_changed(session, "running"));
        print(lifecycle(session, uuid, "queued"));
    }
    queue_.push_back(std::move(prompt));
}

// What was queued during a turn becomes one turn: joined by line ends, under the last one's uuid.
Prompt Agent::next_prompt() {
    auto prompt = std::move(queue_.front());
    queue_.pop_front();
    while (!queue_.empty()) {
        auto& more = queue_.front();
        if (session.options.replay) print(replay(session, prompt.content, prompt.uuid));
        prompt.text += "\n" + more.text;
        prompt.content = prompt.text;
        prompt.uuid = more.uuid;
        prompt.given.insert(prompt.given.end(), more.given.begin(), more.given.end());
        queue_.pop_front();
    }
    return prompt;
}

void Agent::run(Prompt prompt) {
    in_turn_ = true;
    for (const auto& uuid : prompt.given) print(lifecycle(session, uuid, "started"));
    print(init(session));
    history.emplace_back(prompt.uuid, prompt.text);
    const auto started = std::chrono::steady_clock::now();
    auto outcome = play(*this, prompt);
    in_turn_ = false;
    interrupted_ = false;
    outcome.prompts = prompt.given;
    outcome.duration_ms = (std::chrono::steady_clock::now() - started) / std::chrono::milliseconds(1);
    session.total.input += outcome.usage.input;
    session.total.output += outcome.usage.output;
    last_was_error_ = outcome.is_error;
    const auto line = result(session, outcome);
    ++session.results;
    if (session.options.output_format == "text") write_all(outcome.text + "\n");
    if (session.options.output_format == "json") write_line(line);
    print(line);
    const bool cancelled = outcome.subtype == "error_during_execution";
    for (const auto& uuid : prompt.given)
        print(lifecycle(session, uuid, cancelled ? "cancelled" : "completed"));
    if (wants_state_events() && queue_.empty()) print(state_changed(session, "idle"));
}

}  // namespace plexus::fake_agent
