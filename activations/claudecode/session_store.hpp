// Sessions and their chats in the database. Synchronous: for work inside one transaction, on a storage
// thread.
#pragma once

#include "activations/claudecode/session.hpp"
#include "hub/sql.hpp"

namespace plexus::claudecode {

class SessionStore {
public:
    explicit SessionStore(hub::Transaction& transaction) : sql_(transaction) {}

    void create(const Session& session);         // throws `already_exists`
    Session get(const std::string& id_or_name);  // id, exact name, or a prefix only one session has
    Session get(Uuid id);
    std::optional<Session> find(const std::string& id_or_exact_name);
    std::vector<Session> list();  // newest first
    void rename(Uuid id, const std::string& name, std::int64_t now);
    void set_head(Uuid id, Uuid head, std::int64_t now);
    // After a turn: the head, and the CLI's session which now stands there.
    void advance(Uuid id, Uuid head, const std::string& claude_session_id, std::int64_t now);
    void forget_cli(Uuid id, std::int64_t now);
    void set_model(Uuid id, const std::string& model, std::int64_t now);
    void set_settings(Uuid id, const Settings& settings, std::int64_t now);
    void remove(Uuid id);

    void add_stream(ChatStream& stream);  // fills in its number
    void start_stream(Uuid id, Uuid root_node, const std::string& process);
    void set_status(Uuid id, StreamStatus status);
    void end_stream(Uuid id, StreamStatus status, const std::optional<std::string>& error, std::int64_t now);
    ChatStream stream(Uuid id);  // throws not_found
    std::vector<ChatStream> streams(std::optional<Uuid> session, std::int64_t limit);
    std::optional<ChatStream> newest_stream(Uuid session);
    std::vector<ChatStream> open_streams();
    std::vector<std::string> recorded_processes();  // JSON of the children of open streams

private:
    hub::Transaction& sql_;
};

}  // namespace plexus::claudecode
