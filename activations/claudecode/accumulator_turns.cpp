// The accumulator's turns: how they open, which `init` and which `result` is whose, how they end.
#include "activations/claudecode/accumulator.hpp"

#include <algorithm>
#include <cassert>

namespace plexus::claudecode {
namespace {

constexpr std::size_t most_held = 64;  // more than a quiet CLI says; beyond it lines go to the last turn

bool has(const std::vector<std::string_view>& list, std::string_view item) {
    return !item.empty() && std::ranges::find(list, item) != list.end();
}

// Nodes first, then events, each in order: nothing is told before the turn's `start`.
void append(EffectLog& log, std::vector<Effect>& effects, bool events) {
    for (auto& effect : effects)
        if (std::holds_alternative<Emit>(effect) == events) log.add(std::move(effect));
}

}  // namespace

Accumulator::Turn* Accumulator::current() {
    if (!running_.empty()) return &running_.back();
    return waiting_ ? &*waiting_ : nullptr;
}

bool Accumulator::is_open(Key turn) const {
    return (waiting_ && waiting_->chain.turn == turn) ||
           std::ranges::any_of(running_, [&](const Turn& open) { return open.chain.turn == turn; });
}

Accumulator::Turn Accumulator::new_turn(TurnOrigin origin) {
    Turn turn;
    turn.chain.turn = turn.chain.stream = last_turn_ = log_.new_key();
    turn.from_prompt = origin == TurnOrigin::prompt;
    log_.add(OpenTurn{turn.chain.turn, origin, no_key, "", Json::object()});
    return turn;
}

Key Accumulator::begin_turn(const Prompt& prompt) {
    assert(!waiting_);
    auto turn = new_turn(TurnOrigin::prompt);
    turn.prompt_uuid = prompt.uuid;
    turn.prompt_content = prompt.content;
    if (!prompt.uuid.empty()) prompts_.insert(prompt.uuid);
    const auto key = turn.chain.turn;
    auto before = log_.take();
    waiting_ = std::move(turn);
    if (running_.empty()) release_held(false);
    auto held = log_.take();
    for (auto& effect : before) log_.add(std::move(effect));

    append(log_, held, false);
    auto& chain = waiting_->chain;
    const auto user = builder_.user(chain, prompt.content, prompt.uuid, false);
    log_.emit(key, StartEvent{}, key, user);
    builder_.user_event(chain, user, prompt.uuid);
    append(log_, held, true);
    return key;
}

void Accumulator::start_by_cli() {
    running_.push_back(new_turn(TurnOrigin::cli));
    const auto key = running_.back().chain.turn;
    log_.emit(key, StartEvent{}, key);
    release_held(true);
}

// Whether the turn that begins is the waiting prompt's. A background task may have ended just before
// the prompt arrived, and its turn comes first.
bool Accumulator::starts_waiting(const InitLine& init) const {
    if (!waiting_) return false;
    if (has(init.prompt_uuids, waiting_->prompt_uuid)) return true;
    if (!init.prompt_uuids.empty() && !waiting_->prompt_uuid.empty()) return false;
    return held_.empty();  // only wake-ups are still held while a prompt waits
}

void Accumulator::on(const CliMessage& message, const InitLine& init) {
    session_started_ = true;
    log_.add(SessionSeen{std::string(message.session_id), std::string(init.model),
                         std::string(init.permission_mode), std::string(init.version),
                         std::string(message.raw)});
    if (starts_waiting(init)) {
        running_.push_back(std::move(*waiting_));
        waiting_.reset();
        release_held(true);
    } else {
        start_by_cli();
    }
    const auto key = running_.back().chain.stream;
    log_.emit(key, StatusEvent{"init",
                               {{"session_id", message.session_id},
                                {"model", init.model},
                                {"permission_mode", init.permission_mode},
                                {"version", init.version}}});
}

// A prompt that reached the CLI during another turn may have been taken into it, and then has no turn
// and no result of its own. It must not wait for ever.
bool Accumulator::ends_waiting(const Turn& ended, const ResultLine& result) const {
    if (!waiting_) return false;
    if (waiting_->joined || has(result.prompt_uuids, waiting_->prompt_uuid)) return true;
    return !ended.from_prompt && result.origin.empty() && result.prompt_uuids.empty();
}

void Accumulator::on(const CliMessage& message, const ResultLine& result) {
    if (running_.empty()) {
        if (waiting_) running_.push_back(std::move(*waiting_));  // refused before it began
        else start_by_cli();
        waiting_.reset();
    }
    auto turn = std::move(running_.front());
    running_.pop_front();
    const auto usage = meter_.read(result);
    turn.evidence.session_started = session_started_;
    turn.evidence.answered = turn.chain.answered;
    const auto outcome = judge_result(turn.evidence, result);
    end_turn(turn, outcome, usage, message.raw);
    if (!ends_waiting(turn, result)) return;
    auto joined = std::move(*waiting_);
    waiting_.reset();
    end_turn(joined, outcome, usage, message.raw);
}

void Accumulator::end_turn(Turn& turn, Outcome outcome, const ChatUsage& usage, std::string_view result) {
    const auto key = turn.chain.turn;
    builder_.close(turn.chain);
    close_sub_agents(key);
    if (outcome) {
        auto event = error_event(*outcome);
        if (!session_id_.empty()) event.claude_session_id = session_id_;
        if (!result.empty()) event.usage = usage;
        log_.emit(key, std::move(event), turn.chain.head);
    } else {
        log_.emit(key, CompleteEvent{{}, session_id_, usage}, turn.chain.head);
    }
    log_.add(EndTurn{key, std::move(outcome), usage, turn.chain.head, session_id_, std::string(result)});
}

void Accumulator::close_sub_agents(Key stream) {
    for (auto& [call, chain] : sub_agents_)
        if (chain.stream == stream) builder_.close(chain);
}

void Accumulator::stopping(ErrorKind kind) {
    for (auto& turn : running_) turn.evidence.asked_to_stop = kind;
    if (waiting_) waiting_->evidence.asked_to_stop = kind;
}

void Accumulator::finish(const ProcessEnd& end) {
    end_all([&](const Turn& turn) {
        auto evidence = turn.evidence;
        evidence.session_started = session_started_;
        return judge_end(evidence, end);
    });
}

void Accumulator::fail(const TurnError& error) {
    end_all([&](const Turn&) { return error; });
}

void Accumulator::end_all(const std::function<Outcome(const Turn&)>& judge) {
    if (waiting_) running_.push_back(std::move(*waiting_));
    waiting_.reset();
    while (!running_.empty()) {
        auto turn = std::move(running_.front());
        running_.pop_front();
        end_turn(turn, judge(turn), {}, "");
    }
    for (auto& [call, chain] : sub_agents_) builder_.close(chain);
    keep_held();
}

// No turn will come for these. What was said goes to the end of the last one, behind its head.
void Accumulator::keep_held() {
    Chain chain;
    chain.turn = last_turn_;
    for (const auto& line : std::exchange(held_, {})) {
        const auto message = held_parser_.parse(line);
        const auto* user = std::get_if<UserLine>(&message.body);
        const auto* assistant = std::get_if<AssistantLine>(&message.body);
        if (user && last_turn_ != no_key) add_user_line(chain, message, *user);
        else if (assistant && last_turn_ != no_key) builder_.assistant(chain, *assistant, message.uuid);
        else pass_through(message, message.type, line);
    }
    builder_.close(chain);
}

void Accumulator::hold(const CliMessage& message) {
    if (held_.size() < most_held) held_.emplace_back(message.raw);
    else pass_through(message, message.type, std::string(message.raw));
}

void Accumulator::release_held(bool wake_ups) {
    for (const auto& line : std::exchange(held_, {})) {
        const auto message = held_parser_.parse(line);
        if (!std::holds_alternative<SystemLine>(message.body)) consume(message);
        else if (wake_ups) notice(message);
        else held_.push_back(line);
    }
}

}  // namespace plexus::claudecode
