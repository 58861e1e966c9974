// claudecode: sessions of the Claude Code CLI, mirrored into arbor as they happen. A chat belongs to its
// stored stream, not to the socket that asked for it: callers come and go, the turn is not lost.
#pragma once

#include "activations/claudecode/runner.hpp"
#include "activations/claudecode/types.hpp"
#include "hub/hub.hpp"

namespace plexus::claudecode {

struct Options {
    std::string binary;              // absolute
    std::string binary_problem;      // why there is none; chats then fail with it
    std::vector<std::string> roots;  // absolute
    std::string config_dir;
    View view = View::granular;
    hub::Environment environment;
    std::chrono::milliseconds idle{300'000};
    // The canonical form of a directory that exists under a root, or Failure.
    std::function<std::string(const std::string& directory)> working_directory;
    std::function<std::string(const std::string& name, const std::string& text)> keep_file;
};

class Claudecode : public hub::Activation {
public:
    Claudecode(hub::asio::any_io_executor executor, hub::Storage& storage, arbor::Streams& streams,
               hub::Ids& ids, hub::Clock& clock, hub::Processes& processes, hub::Approvals& approvals,
               Options options);

    // Before anything is served: ends the streams a killed daemon left open, and the processes behind them.
    awaitable<void> recover();
    // Running turns record where they stand; children end.
    awaitable<void> stop();

private:
    friend class SessionChild;

    awaitable<Created> create(CreateParams params);
    awaitable<GotSession> get(NameParams params);
    awaitable<SessionList> list(hub::NoParams);
    awaitable<Deleted> remove(NameParams params);
    awaitable<Renamed> rename(RenameParams params);
    awaitable<Forked> fork(ForkParams params);
    awaitable<TreePlace> get_tree(NameParams params);
    awaitable<HeadSet> set_head(SetHeadParams params);
    awaitable<BranchList> list_branches(BranchesParams params);

    awaitable<void> chat(ChatParams params, hub::Sink<ChatEvent> out);
    awaitable<Started> chat_async(ChatParams params);
    awaitable<Stopped> cancel(StopParams params);
    awaitable<Stopped> interrupt(StopParams params);
    awaitable<Polled> poll(PollParams params);
    awaitable<void> subscribe(SubscribeParams params, hub::Sink<SubscribeEvent> out);
    awaitable<StreamList> list_streams(StreamsParams params);

    awaitable<Rendered> render_context(RenderParams params);
    awaitable<void> get_conversation(NameParams params, hub::Sink<ConversationEvent> out);
    awaitable<Block> get_block(BlockParams params);

    awaitable<Json> resolve_handle(hub::Handle handle) override;
    awaitable<std::shared_ptr<hub::Activation>> dynamic_child(std::string name) override;
    awaitable<std::vector<std::string>> dynamic_children() override;

    awaitable<Session> find(std::string name);
    awaitable<ChatStream> begin_chat(ChatParams& params);
    awaitable<Stopped> stop_stream(StopParams params, ErrorKind kind);
    awaitable<ChatStream> wanted_stream(std::optional<Uuid> stream, std::optional<std::string> session);
    awaitable<arbor::Seq> cursor_seq(Uuid stream, std::string cursor);
    // Until there is an event after `seq`, or the stream has ended.
    awaitable<void> wait_past(Uuid stream, arbor::Seq seq);
    awaitable<void> follow(ChatStream stream, View view, hub::Sink<ChatEvent> out);
    Runner& runner(Uuid session);

    hub::asio::any_io_executor executor_;
    hub::Storage& storage_;
    arbor::Streams& streams_;
    hub::Ids& ids_;
    hub::Clock& clock_;
    hub::Processes& processes_;
    Options options_;
    Beginnings beginnings_;
    RunnerParts runner_parts_;
    std::map<Uuid, std::unique_ptr<Runner>> runners_;
};

// A session as a child of its own: claudecode.<id or name>.chat {prompt}.
class SessionChild : public hub::Activation {
public:
    SessionChild(Claudecode& parent, Session session);

private:
    struct ChatInput;
    awaitable<GotSession> get(hub::NoParams);
    awaitable<Deleted> remove(hub::NoParams);
    Json as_child() const override;

    Claudecode& parent_;
    Session session_;
};

// The nodes sessions stand at: what must never be purged.
std::vector<arbor::NodeId> session_heads(hub::Transaction& sql);

std::string cursor_text(Uuid stream, std::uint64_t seq);

}  // namespace plexus::claudecode
