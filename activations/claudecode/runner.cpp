#include "activations/claudecode/runner.hpp"

#include "activations/claudecode/context.hpp"
#include "hub/activation.hpp"
#include "hub/log.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <ctime>

namespace plexus::claudecode {

namespace log = hub::log;

namespace {

std::string iso_time(std::int64_t unix_seconds) {
    const std::time_t time = unix_seconds;
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000Z", &parts);
    return text;
}

TurnError start_error(const Agent& agent) {
    TurnError error{ErrorKind::spawn, "The CLI did not start", {}, {}, {}, {}, agent.stderr_tail()};
    if (const auto exit = agent.exit()) {
        error.exit = exit->code;
        error.signal = exit->signal;
    }
    if (!agent.stderr_tail().empty()) error.message += ": " + agent.stderr_tail().substr(0, 500);
    return error;
}

}  // namespace

Runner::Runner(hub::asio::any_io_executor executor, const RunnerParts& parts, Uuid session)
    : executor_(executor), parts_(parts), session_(session), work_came_(executor), tasks_(executor) {
    tasks_.spawn([this] { return work(); });
}

void Runner::enqueue(ChatStream stream) {
    queue_.push_back(std::move(stream));
    work_came_.notify();
}

awaitable<void> Runner::work() {
    using namespace hub::asio::experimental::awaitable_operators;
    for (auto idle_since = parts_.clock.steady();;) {
        while (queue_.empty()) {
            if (agent_ && parts_.clock.steady() - idle_since >= parts_.idle) {
                co_await hibernate();
                continue;  // work may have come meanwhile
            }
            if (!agent_) co_await work_came_.wait();
            else co_await (work_came_.wait() || parts_.clock.sleep(parts_.idle));
        }
        auto stream = std::move(queue_.front());
        queue_.pop_front();
        running_ = stream.id;
        const auto outcome = co_await hub::guarded(run(std::move(stream)));
        running_.reset();
        if (!outcome && outcome.error().reason == "cancelled") co_return;
        if (!outcome) log::error("a chat could not be run", {{"reason", outcome.error().message}});
        idle_since = parts_.clock.steady();
    }
}

awaitable<Session> Runner::load() const {
    return parts_.mirror.storage.read(
        [id = session_](hub::Transaction& sql) { return SessionStore(sql).get(id); });
}

awaitable<void> Runner::run(ChatStream stream) {
    auto session = co_await load();
    Agent* agent = nullptr;
    const auto prepare = [&]() -> awaitable<void> { agent = co_await agent_for(stream, std::move(session)); };
    const auto prepared = co_await hub::guarded(prepare());
    if (!prepared || !agent->alive()) {
        const auto error = prepared
                               ? start_error(*agent)
                               : TurnError{ErrorKind::spawn, prepared.error().message, {}, {}, {}, {}, {}};
        co_await fail(std::move(stream), error);
        throwaway_.reset();
        co_return co_await hibernate();
    }
    co_await agent->chat(std::move(stream));
    if (throwaway_) {
        co_await throwaway_->end();
        throwaway_.reset();
    }
    if (agent_ && !agent_->alive()) co_await hibernate();
}

awaitable<Agent*> Runner::agent_for(const ChatStream& stream, Session session) {
    if (stream.ephemeral) {
        // A throw-away fork answers: the session itself stays where it is.
        if (session.claude_session_id && session.cli_head == session.head) {
            const Entry entry{schema::to_text(parts_.mirror.ids.secret()), *session.claude_session_id, true};
            throwaway_ = co_await start(session, entry);
        }
        if (!throwaway_ || !throwaway_->alive()) throwaway_ = co_await start_anew(std::move(session));
        co_return throwaway_.get();
    }
    if (agent_ && agent_->alive()) co_return agent_.get();
    agent_.reset();
    if (session.claude_session_id && session.cli_head == session.head) {
        agent_ = co_await start(session, {*session.claude_session_id, *session.claude_session_id, false});
        if (agent_->alive()) co_return agent_.get();
        log::warn("the CLI does not know its session any more; rebuilding it from the tree",
                  {{"session", session.name}, {"reason", agent_->stderr_tail().substr(0, 200)}});
        co_await hibernate();
    }
    agent_ = co_await start_anew(std::move(session));
    co_return agent_.get();
}

awaitable<std::unique_ptr<Agent>> Runner::start(Session session, Entry entry) {
    auto process = parts_.processes.spawn(command(session, entry));
    auto agent = std::make_unique<Agent>(executor_, parts_.mirror, std::move(session), std::move(process),
                                         parts_.approvals);
    co_await agent->ready();
    co_return agent;
}

// A CLI session of its own that begins with what the tree holds: nothing, a fork, or a rewound conversation.
awaitable<std::unique_ptr<Agent>> Runner::start_anew(Session session) {
    const auto id = schema::to_text(parts_.mirror.ids.secret());
    const auto context = co_await parts_.mirror.storage.read(
        [tree = session.tree, head = session.head](hub::Transaction& sql) {
            return read_context(sql, tree, head);
        });
    Entry entry{id, "", false};
    if (!context.empty())
        entry.resume = parts_.keep_file(
            id + ".jsonl", as_transcript(context, id, session.working_dir, iso_time(parts_.clock.seconds())));
    co_return co_await start(std::move(session), std::move(entry));
}

hub::Command Runner::command(const Session& session, const Entry& entry) const {
    hub::Command command;
    std::string servers;
    if (session.settings.mcp_config)
        servers = parts_.keep_file("mcp-" + schema::to_text(session.id) + ".json",
                                   session.settings.mcp_config->dump());
    command.argv = command_line(parts_.binary, session, entry, servers);
    command.directory = session.working_dir;
    command.roots = parts_.roots;
    command.environment = parts_.environment;
    const auto config_dir = session.settings.config_dir.value_or(parts_.config_dir);
    if (!config_dir.empty()) command.environment["CLAUDE_CONFIG_DIR"] = config_dir;
    for (const auto* name : {"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
                             "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "DISABLE_AUTOUPDATER"})
        command.environment.emplace(name, "1");
    return command;
}

// The chat's stream tells why there was no turn, in the same words as any other failure.
awaitable<void> Runner::fail(ChatStream stream, TurnError error) {
    Mirror mirror(parts_.mirror, co_await load());
    Accumulator accumulator;
    const Accumulator::Prompt prompt{stream.prompt_uuid, stream.prompt};
    mirror.expect(std::move(stream), "");
    accumulator.begin_turn(prompt);
    accumulator.fail(error);
    mirror.keep_head();
    co_await mirror.apply(accumulator.take());
}

awaitable<bool> Runner::cancel(Uuid stream, ErrorKind kind) {
    const auto waiting = std::ranges::find(queue_, stream, &ChatStream::id);
    if (waiting != queue_.end()) {
        auto cancelled = std::move(*waiting);
        queue_.erase(waiting);
        co_await fail(std::move(cancelled), {kind, "Cancelled before it began", {}, {}, {}, {}, {}});
        co_return true;
    }
    if (running_ != stream) co_return false;
    if (auto* agent = throwaway_ ? throwaway_.get() : agent_.get()) co_await agent->stop(kind);
    co_return true;
}

awaitable<void> Runner::hibernate() {
    if (!agent_) co_return;
    co_await agent_->end();
    agent_.reset();
}

awaitable<void> Runner::reload() {
    if (!running_) co_await hibernate();
}

awaitable<void> Runner::stop() {
    if (auto* agent = throwaway_ ? throwaway_.get() : agent_.get(); agent && running_) {
        co_await agent->stop(ErrorKind::interrupted);
        for (int i = 0; i < 30 && running_; ++i) co_await parts_.clock.sleep(std::chrono::milliseconds(100));
    }
    co_await tasks_.cancel_and_join();
    if (throwaway_) co_await throwaway_->end();
    co_await hibernate();
}

}  // namespace plexus::claudecode
