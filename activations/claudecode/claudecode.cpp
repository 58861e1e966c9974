#include "activations/claudecode/claudecode.hpp"

#include "hub/log.hpp"

namespace plexus::claudecode {

namespace log = hub::log;
using hub::Scope;
using schema::Failure;

namespace {

std::string owner_of(const Session& session) { return "claudecode:" + schema::to_text(session.id); }

SessionConfig config_of(const Session& session) {
    const auto& settings = session.settings;
    return {session.id,
            session.name,
            session.claude_session_id,
            settings.loopback_session_id,
            session.position(),
            session.working_dir,
            session.model,
            settings.system_prompt,
            settings.mcp_config,
            settings.loopback_enabled,
            session.metadata,
            session.created_at,
            session.updated_at,
            settings};
}

Settings settings_of(const CreateParams& params) {
    Settings settings;
    settings.system_prompt = params.system_prompt;
    settings.append_system_prompt = params.append_system_prompt;
    settings.mcp_config = params.mcp_config;
    settings.permission_mode = params.permission_mode.value_or(PermissionMode::default_);
    settings.allowed_tools = params.allowed_tools.value_or(std::vector<std::string>{});
    settings.disallowed_tools = params.disallowed_tools.value_or(std::vector<std::string>{});
    settings.max_turns = params.max_turns;
    settings.max_budget_usd = params.max_budget_usd;
    settings.config_dir = params.config_dir;
    settings.loopback_enabled = params.loopback_enabled.value_or(false);
    settings.loopback_session_id = params.loopback_session_id;
    if (settings.config_dir && !settings.config_dir->starts_with('/'))
        throw Failure(schema::invalid_params("/config_dir must be an absolute path"));
    require_tools(settings.allowed_tools, "allowed_tools");
    require_tools(settings.disallowed_tools, "disallowed_tools");
    return settings;
}

// Only a message, or the root, can be where a conversation stands.
void require_head(hub::Transaction& sql, Uuid tree, Uuid node) {
    arbor::NodeStore nodes(sql);
    const auto row = nodes.get(arbor::TreeStore(sql).get(arbor::TreeId{tree}), arbor::NodeId{node});
    if (row.parent && nodes.load(row.key).handle.method != "message")
        throw Failure(schema::failed("conflict", "Node " + schema::to_text(node) + " is not a message",
                                     {{"node_id", schema::to_text(node)}}));
}

Failure busy_session(const Session& session) {
    return Failure(schema::failed("session_busy",
                                  "A chat is running in " + session.name + "; cancel it first",
                                  {{"session", session.name}}));
}

}  // namespace

Claudecode::Claudecode(hub::asio::any_io_executor executor, hub::Storage& storage, arbor::Streams& streams,
                       hub::Ids& ids, hub::Clock& clock, hub::Processes& processes, hub::Approvals& approvals,
                       Options options)
    : Activation("claudecode", "1.0.0", "Manage Claude Code sessions with Arbor-backed conversation history"),
      executor_(executor),
      storage_(storage),
      streams_(streams),
      ids_(ids),
      clock_(clock),
      processes_(processes),
      options_(std::move(options)),
      beginnings_(executor),
      runner_parts_{{storage, streams, ids, clock, beginnings_, id()},
                    processes,
                    clock,
                    approvals,
                    options_.binary,
                    options_.roots,
                    options_.environment,
                    options_.config_dir,
                    options_.idle,
                    options_.keep_file} {
    tell_failures_as_data();
    method("create", "Make a session", Scope::chat, &Claudecode::create);
    method("chat", "Send a prompt and follow the answer", Scope::chat, &Claudecode::chat);
    method("get", "Look at a session", Scope::read, &Claudecode::get);
    method("list", "List sessions", Scope::read, &Claudecode::list);
    method("delete", "Forget a session; its tree is released", Scope::admin, &Claudecode::remove);
    method("rename", "Give a session another name", Scope::chat, &Claudecode::rename);
    method("fork", "Make a session that goes on from the same place", Scope::chat, &Claudecode::fork);
    method("chat_async", "Send a prompt and come back for the answer", Scope::chat, &Claudecode::chat_async);
    method("cancel", "Give up a chat, running or waiting", Scope::chat, &Claudecode::cancel);
    method("interrupt", "Interrupt the running turn", Scope::chat, &Claudecode::interrupt);
    method("poll", "Read a stream's events after a place", Scope::read, &Claudecode::poll);
    method("subscribe", "Follow a stream: what was, then what comes", Scope::read, &Claudecode::subscribe);
    method("streams", "List chats", Scope::read, &Claudecode::list_streams);
    method("get_tree", "Find a session's tree", Scope::read, &Claudecode::get_tree);
    method("render_context", "Read the conversation as API messages", Scope::read,
           &Claudecode::render_context);
    method("get_conversation", "Read the conversation message by message", Scope::read,
           &Claudecode::get_conversation);
    method("get_block", "Read what a handle's blob holds", Scope::read, &Claudecode::get_block);
    method("set_head", "Move a session to another message", Scope::chat, &Claudecode::set_head);
    method("list_branches", "List the turns that go on from a message", Scope::read,
           &Claudecode::list_branches);
    gate("session", "One session, by id or name", "session_ids", Scope::read);
}

std::vector<arbor::NodeId> session_heads(hub::Transaction& sql) {
    std::vector<arbor::NodeId> heads;
    for (const auto& session : SessionStore(sql).list()) heads.push_back(arbor::NodeId{session.head});
    return heads;
}

Runner& Claudecode::runner(Uuid session) {
    auto& runner = runners_[session];
    if (!runner) runner = std::make_unique<Runner>(executor_, runner_parts_, session);
    return *runner;
}

awaitable<Session> Claudecode::find(std::string name) {
    return storage_.read(
        [name = std::move(name)](hub::Transaction& sql) { return SessionStore(sql).get(name); });
}

awaitable<Created> Claudecode::create(CreateParams params) {
    require_name(params.name, "name");
    require_model(params.model);
    Session session;
    session.settings = settings_of(params);
    session.working_dir = options_.working_directory(params.working_dir);
    session.id = ids_.next();
    session.name = params.name;
    session.model = params.model;
    session.metadata = params.metadata;
    session.tree = ids_.next();
    session.head = ids_.next();
    session.created_at = session.updated_at = clock_.seconds();
    co_await storage_.write([session](hub::Transaction& sql) {
        arbor::NewTree tree;
        tree.id = arbor::TreeId{session.tree};
        tree.root = arbor::NodeId{session.head};
        tree.owner = owner_of(session);
        tree.metadata = Json{{"session", schema::to_text(session.id)}, {"name", session.name}};
        arbor::TreeStore(sql).create(tree, session.created_at);
        SessionStore(sql).create(session);
    });
    co_return Created{session.id, session.name, session.position()};
}

awaitable<GotSession> Claudecode::get(NameParams params) {
    co_return GotSession{config_of(co_await find(std::move(params.name)))};
}

awaitable<SessionList> Claudecode::list(hub::NoParams) {
    const auto sessions =
        co_await storage_.read([](hub::Transaction& sql) { return SessionStore(sql).list(); });
    SessionList result;
    for (const auto& session : sessions)
        result.sessions.push_back({session.id, session.name, session.model, session.position(),
                                   session.claude_session_id, session.working_dir,
                                   session.settings.loopback_enabled, session.created_at});
    co_return result;
}

awaitable<Deleted> Claudecode::remove(NameParams params) {
    const auto session = co_await find(std::move(params.name));
    if (const auto found = runners_.find(session.id); found != runners_.end()) {
        if (found->second->busy()) throw busy_session(session);
        auto runner = std::move(found->second);
        runners_.erase(found);
        co_await runner->stop();
    }
    co_await storage_.write([session, now = clock_.seconds()](hub::Transaction& sql) {
        arbor::TreeStore(sql).release(arbor::TreeId{session.tree}, owner_of(session), 1, now);
        SessionStore(sql).remove(session.id);
    });
    co_return Deleted{session.id};
}

awaitable<Renamed> Claudecode::rename(RenameParams params) {
    require_name(params.new_name, "new_name");
    const auto session = co_await find(std::move(params.name));
    co_await storage_.write([id = session.id, name = params.new_name, now = clock_.seconds()](
                                hub::Transaction& sql) { SessionStore(sql).rename(id, name, now); });
    co_return Renamed{session.id, params.new_name};
}

// Nothing is copied: both sessions stand in the same tree and part with their next turn.
awaitable<Forked> Claudecode::fork(ForkParams params) {
    require_name(params.new_name, "new_name");
    auto session = co_await find(std::move(params.name));
    const auto parent = session.id;
    session.forked_from = parent;
    session.id = ids_.next();
    session.name = params.new_name;
    session.claude_session_id.reset();
    session.cli_head.reset();
    if (params.node_id) session.head = *params.node_id;
    session.created_at = session.updated_at = clock_.seconds();
    co_await storage_.write([session](hub::Transaction& sql) {
        require_head(sql, session.tree, session.head);
        arbor::TreeStore(sql).claim(arbor::TreeId{session.tree}, owner_of(session), 1, session.created_at);
        SessionStore(sql).create(session);
    });
    co_return Forked{session.id, session.name, session.position()};
}

awaitable<TreePlace> Claudecode::get_tree(NameParams params) {
    const auto session = co_await find(std::move(params.name));
    co_return TreePlace{session.tree, session.head};
}

awaitable<HeadSet> Claudecode::set_head(SetHeadParams params) {
    const auto session = co_await find(std::move(params.name));
    if (runner(session.id).busy()) throw busy_session(session);
    co_await storage_.write([session, node = params.node_id, now = clock_.seconds()](hub::Transaction& sql) {
        require_head(sql, session.tree, node);
        SessionStore(sql).set_head(session.id, node, now);
    });
    co_await runner(session.id).reload();
    auto moved = session;
    moved.head = params.node_id;
    co_return HeadSet{session.position(), moved.position()};
}

awaitable<void> Claudecode::recover() {
    struct Left {
        std::vector<ChatStream> streams;
        std::vector<std::string> processes;
    };
    const auto left = co_await storage_.read([](hub::Transaction& sql) {
        SessionStore store(sql);
        return Left{store.open_streams(), store.recorded_processes()};
    });
    std::vector<hub::ProcessRecord> records;
    for (const auto& text : left.processes)
        if (auto record = schema::decode<hub::ProcessRecord>(Json::parse(text, nullptr, false)))
            records.push_back(*record);
    const auto swept = co_await processes_.sweep(std::move(records));
    if (swept > 0) log::warn("ended processes that an earlier life left running", {{"count", swept}});
    for (const auto& stream : left.streams) {
        // A chat that never began runs now; one that was cut off says so.
        if (stream.status == StreamStatus::queued) {
            runner(stream.session).enqueue(stream);
            continue;
        }
        const ErrorEvent cut{"The daemon stopped while this turn was running",
                             ErrorKind::interrupted,
                             {},
                             {},
                             {},
                             {},
                             {},
                             {},
                             {},
                             {}};
        arbor::Event event;
        event.id = arbor::NodeId{ids_.next()};
        event.type = ErrorEvent::tag;
        event.created_at = clock_.milliseconds();
        event.payload = schema::to_json_text(schema::encode(ChatEvent(cut)));
        co_await storage_.write(
            [stream, event, now = clock_.seconds()](hub::Transaction& sql) {
                arbor::ChainStore(sql).append(arbor::ChainId{stream.id}, std::vector<arbor::Event>{event});
                SessionStore(sql).end_stream(stream.id, StreamStatus::interrupted, "interrupted by a restart",
                                             now);
                // What the CLI kept of the cut turn is not what the tree shows: begin from the tree.
                SessionStore(sql).forget_cli(stream.session, now);
            },
            hub::Room::reserve);
    }
}

awaitable<void> Claudecode::stop() {
    for (auto& [_, runner] : runners_) co_await hub::guarded(runner->stop());
    runners_.clear();
}

awaitable<std::shared_ptr<hub::Activation>> Claudecode::dynamic_child(std::string name) {
    auto session =
        co_await storage_.read([name](hub::Transaction& sql) { return SessionStore(sql).find(name); });
    if (!session) co_return nullptr;
    co_return std::make_shared<SessionChild>(*this, std::move(*session));
}

awaitable<std::vector<std::string>> Claudecode::dynamic_children() {
    const auto sessions =
        co_await storage_.read([](hub::Transaction& sql) { return SessionStore(sql).list(); });
    std::vector<std::string> ids;
    for (const auto& session : sessions) ids.push_back(schema::to_text(session.id));
    co_return ids;
}

}  // namespace plexus::claudecode
