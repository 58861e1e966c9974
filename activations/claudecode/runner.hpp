// One session at work: its chats one after the other, its CLI process kept warm between them and let go when
// idle. Made when a session is first needed, owned by the activation; loop thread.
#pragma once

#include "activations/claudecode/agent.hpp"

#include <deque>
#include <functional>

namespace plexus::claudecode {

// What every runner shares.
struct RunnerParts {
    MirrorParts mirror;
    hub::Processes& processes;
    hub::Clock& clock;
    hub::Approvals& approvals;
    std::string binary;
    std::vector<std::string> roots;
    hub::Environment environment;
    std::string config_dir;
    std::chrono::milliseconds idle{300'000};
    // Writes a private file of this name in our own directory and gives its path.
    std::function<std::string(const std::string& name, const std::string& text)> keep_file;
};

class Runner {
public:
    Runner(hub::asio::any_io_executor executor, const RunnerParts& parts, Uuid session);

    void enqueue(ChatStream stream);
    // Stops the stream: a waiting one never runs, a running one is asked to stop. False when it is neither.
    awaitable<bool> cancel(Uuid stream, ErrorKind kind);
    std::optional<Uuid> running() const { return running_; }
    bool busy() const { return running_.has_value() || !queue_.empty(); }
    // The session changed (head, model, settings): the process, which knows the old one, is let go.
    awaitable<void> reload();
    awaitable<void> stop();

private:
    awaitable<void> work();
    awaitable<void> run(ChatStream stream);
    awaitable<void> hibernate();
    awaitable<Agent*> agent_for(const ChatStream& stream, Session session);
    awaitable<std::unique_ptr<Agent>> start(Session session, Entry entry);
    awaitable<std::unique_ptr<Agent>> start_anew(Session session);
    awaitable<void> fail(ChatStream stream, TurnError error);
    awaitable<Session> load() const;
    hub::Command command(const Session& session, const Entry& entry) const;

    hub::asio::any_io_executor executor_;
    const RunnerParts& parts_;
    Uuid session_;
    std::deque<ChatStream> queue_;
    std::optional<Uuid> running_;
    std::unique_ptr<Agent> agent_;      // the warm one
    std::unique_ptr<Agent> throwaway_;  // of an ephemeral chat
    hub::Signal work_came_;
    hub::TaskGroup tasks_;  // last
};

}  // namespace plexus::claudecode
