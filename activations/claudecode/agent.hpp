// One live CLI process of one session: what it prints goes through parser and accumulator into the mirror,
// what it is asked goes to its stdin. Owned by the session's runner; loop thread.
#pragma once

#include "activations/claudecode/command_line.hpp"
#include "activations/claudecode/mirror.hpp"
#include "hub/approvals.hpp"
#include "hub/process.hpp"

namespace plexus::claudecode {

class Agent {
public:
    Agent(hub::asio::any_io_executor executor, const MirrorParts& parts, Session session,
          std::unique_ptr<hub::Process> process, hub::Approvals& approvals);

    // Whether the CLI is up. It is not when it was started with something it refuses; stderr_tail() says
    // what.
    awaitable<bool> ready();
    std::string stderr_tail() const { return process_->stderr_tail().text; }
    std::optional<hub::Exit> exit() const { return process_->exit(); }

    // Sends a chat's prompt and returns when its stream has ended, however it did.
    awaitable<void> chat(ChatStream stream);
    // Asks the running turn to stop; a CLI that does not listen is ended.
    awaitable<void> stop(ErrorKind kind);
    // Closes stdin and waits until the process and all it started are gone.
    awaitable<void> end();

    bool alive() const { return alive_; }
    const Session& session() const { return mirror_.session(); }

private:
    awaitable<void> read_all();
    awaitable<void> consume(std::string_view chunk);
    awaitable<void> settle();  // what the accumulator wants done
    void react(const Effect& effect);
    awaitable<void> ask(PermissionAsked asked, Uuid stream);

    MirrorParts parts_;
    std::unique_ptr<hub::Process> process_;
    hub::Approvals& approvals_;
    Mirror mirror_;
    LineSplitter splitter_;
    StreamParser parser_;
    Accumulator accumulator_;
    hub::Signal changed_;
    bool alive_ = true, initialized_ = false;
    std::uint64_t requests_ = 0;
    std::map<std::string, Uuid> questions_;  // the CLI's request → the approval
    hub::TaskGroup tasks_;                   // last: its tasks use everything above
};

}  // namespace plexus::claudecode
