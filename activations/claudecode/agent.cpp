#include "activations/claudecode/agent.hpp"

#include "hub/activation.hpp"
#include "hub/log.hpp"

namespace plexus::claudecode {

namespace log = hub::log;
using namespace std::chrono_literals;

namespace {

constexpr auto patience_with_interrupts = 5s;
hub::ToolQuestion question(const Session& session, Uuid stream, const PermissionAsked& asked) {
    return {session.id,
            stream,
            session.settings.loopback_session_id.value_or(session.name),
            asked.tool_name,
            asked.tool_use_id,
            asked.input,
            asked.request};
}

const std::string initialize_id = "plexus-initialize";

}  // namespace

Agent::Agent(hub::asio::any_io_executor executor, const MirrorParts& parts, Session session,
             std::unique_ptr<hub::Process> process, hub::Approvals& approvals)
    : parts_(parts),
      process_(std::move(process)),
      approvals_(approvals),
      mirror_(parts, std::move(session)),
      changed_(executor),
      tasks_(executor) {
    tasks_.spawn([this] { return read_all(); });
}

awaitable<void> Agent::read_all() {
    const auto pump = [this]() -> awaitable<void> {
        for (std::string buffer(64 * 1024, '\0');;) {
            const auto size = co_await process_->read_stdout(hub::asio::buffer(buffer));
            if (size == 0) break;
            co_await consume(std::string_view(buffer).substr(0, size));
        }
        splitter_.close();
        co_await consume({});
    };
    const auto outcome = co_await hub::guarded(pump());
    if (!outcome) {
        // Nothing can be stored any more: the turn ends with that, and the process with it.
        log::error("a session could not be mirrored",
                   {{"session", session().name}, {"reason", outcome.error().message}});
        accumulator_.fail({ErrorKind::storage, outcome.error().message, {}, {}, {}, {}, {}});
        co_await hub::guarded(settle());
    }
    const auto exit = co_await process_->end({2s, 2s, 2s, 1s});
    accumulator_.finish({exit.code, exit.signal, process_->stderr_tail().text});
    co_await hub::guarded(settle());
    alive_ = false;
    for (const auto& [_, approval] : std::exchange(questions_, {}))
        co_await hub::guarded(approvals_.withdraw(approval));
    changed_.notify();
}

awaitable<void> Agent::consume(std::string_view chunk) {
    splitter_.feed(chunk);
    while (const auto line = splitter_.next()) accumulator_.consume(parser_.parse(*line));
    co_await settle();
}

awaitable<void> Agent::settle() {
    auto effects = accumulator_.take();
    if (effects.empty()) co_return;
    const auto reactions = effects;
    co_await mirror_.apply(std::move(effects));
    for (const auto& effect : reactions) react(effect);
    changed_.notify();
}

void Agent::react(const Effect& effect) {
    if (const auto* answered = std::get_if<ControlAnswered>(&effect))
        initialized_ = initialized_ || answered->request_id == initialize_id;
    if (const auto* asked = std::get_if<PermissionAsked>(&effect)) {
        const auto stream = mirror_.stream_of(asked->turn).value_or(Uuid{});
        tasks_.spawn([this, asked = *asked, stream]() -> awaitable<void> { return ask(asked, stream); });
    }
    if (const auto* withdrawn = std::get_if<RequestWithdrawn>(&effect)) {
        const auto question = questions_.extract(withdrawn->request_id);
        if (!question.empty())
            tasks_.spawn(
                [this, id = question.mapped()]() -> awaitable<void> { return approvals_.withdraw(id); });
    }
    if (const auto* other = std::get_if<HostAsked>(&effect))
        tasks_.spawn([this, id = other->request_id, what = other->subtype]() -> awaitable<void> {
            return process_->write(error_line(id, "plexusd does not serve " + what));
        });
}

// Fails closed: whatever goes wrong between the question and the decision, the tool does not run.
awaitable<void> Agent::ask(PermissionAsked asked, Uuid stream) {
    std::optional<Json> response;
    std::string approval_text;
    const auto put_to_people = [&]() -> awaitable<void> {
        const auto approval = co_await approvals_.raise(question(session(), stream, asked));
        approval_text = schema::to_text(approval);
        questions_[asked.request_id] = approval;
        const AwaitingApprovalEvent awaiting{
            approval_text, asked.tool_name, asked.tool_use_id,
            Json::parse(asked.input.empty() ? "null" : asked.input, nullptr, false)};
        co_await mirror_.tell(asked.turn, awaiting, StreamStatus::awaiting_approval);
        changed_.notify();
        response = co_await approvals_.decision(approval);
    };
    const auto outcome = co_await hub::guarded(put_to_people());
    questions_.erase(asked.request_id);
    if (!outcome)
        response = Json{{"behavior", "deny"}, {"message", "No approval: " + outcome.error().message}};
    ApprovalResolvedEvent resolved{
        approval_text, response && response->value("behavior", "deny") == "allow", {}};
    if (!response) resolved.message = "withdrawn";
    else if (response->contains("message") && (*response)["message"].is_string())
        resolved.message = (*response)["message"];
    co_await mirror_.tell(asked.turn, resolved, StreamStatus::running);
    changed_.notify();
    if (response) co_await process_->write(answer_line(asked.request_id, *response));
}

awaitable<bool> Agent::ready() {
    co_await hub::guarded(
        process_->write(control_line(initialize_id, initialize_request(session().settings))));
    while (alive_ && !initialized_) co_await changed_.wait();
    co_return alive_;
}

awaitable<void> Agent::chat(ChatStream stream) {
    const auto id = stream.id;
    const auto uuid = stream.prompt_uuid, prompt = stream.prompt;
    mirror_.expect(std::move(stream), schema::to_json_text(schema::encode(process_->record())));
    accumulator_.begin_turn({uuid, prompt});
    co_await settle();
    // A CLI that is gone already has its exit told by read_all().
    co_await hub::guarded(process_->write(prompt_line(prompt, uuid)));
    while (alive_ && mirror_.is_open(id)) co_await changed_.wait();
}

awaitable<void> Agent::stop(ErrorKind kind) {
    accumulator_.stopping(kind);
    const auto request = "stop-" + std::to_string(++requests_);
    co_await hub::guarded(process_->write(control_line(request, {{"subtype", "interrupt"}})));
    // The turn normally ends within a blink. If not, so does the process.
    tasks_.spawn([this]() -> awaitable<void> {
        hub::asio::steady_timer timer(co_await hub::asio::this_coro::executor, patience_with_interrupts);
        co_await timer.async_wait(hub::use_awaitable);
        if (alive_ && accumulator_.busy()) co_await process_->end({0ms, 1s, 2s, 1s});
    });
}

awaitable<void> Agent::end() {
    process_->close_stdin();
    co_await process_->end({});
    while (alive_) co_await changed_.wait();
    co_await tasks_.cancel_and_join();
}

}  // namespace plexus::claudecode
