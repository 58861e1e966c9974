#include "activations/claudecode/session_store.hpp"

#include "schema/rpc.hpp"

namespace plexus::claudecode {

using hub::Row;
using hub::Statement;
using schema::Failure;

namespace {

#define SESSION_COLUMNS                                                                           \
    "id, name, tree, head, claude_session_id, cli_head, working_dir, model, settings, metadata, " \
    "forked_from, "                                                                               \
    "created_at, updated_at"
#define STREAM_COLUMNS                                                                                     \
    "id, number, session, tree, root_node, status, prompt, prompt_uuid, ephemeral, started_at, ended_at, " \
    "error"

std::optional<std::string> text_of(const std::optional<Json>& json) {
    return json ? std::optional(schema::to_json_text(*json)) : std::nullopt;
}

Session read_session(const Row& row) {
    Session session;
    session.id = row.get<Uuid>(0);
    session.name = row.get<std::string>(1);
    session.tree = row.get<Uuid>(2);
    session.head = row.get<Uuid>(3);
    session.claude_session_id = row.get<std::optional<std::string>>(4);
    session.cli_head = row.get<std::optional<Uuid>>(5);
    session.working_dir = row.get<std::string>(6);
    session.model = row.get<std::string>(7);
    session.settings = schema::decode<Settings>(Json::parse(row.text(8))).value();
    if (!row.is_null(9)) session.metadata = Json::parse(row.text(9));
    session.forked_from = row.get<std::optional<Uuid>>(10);
    session.created_at = row.integer(11);
    session.updated_at = row.integer(12);
    return session;
}

ChatStream read_stream(const Row& row) {
    ChatStream stream;
    stream.id = row.get<Uuid>(0);
    stream.number = row.integer(1);
    stream.session = row.get<Uuid>(2);
    stream.tree = row.get<Uuid>(3);
    stream.root_node = row.get<std::optional<Uuid>>(4);
    stream.status = schema::decode<StreamStatus>(Json(row.get<std::string>(5))).value();
    stream.prompt = row.get<std::string>(6);
    stream.prompt_uuid = row.get<std::string>(7);
    stream.ephemeral = row.get<bool>(8);
    stream.started_at = row.integer(9);
    stream.ended_at = row.get<std::optional<std::int64_t>>(10);
    stream.error = row.get<std::optional<std::string>>(11);
    return stream;
}

std::string_view word(StreamStatus status) { return schema::Codec<StreamStatus>::name(status); }

Failure no_session(const std::string& name) {
    return Failure(schema::not_found("session not found: " + name, {{"session", name}}));
}

}  // namespace

void SessionStore::create(const Session& session) {
    static const Statement taken("session_taken", "SELECT 1 FROM claudecode_sessions WHERE name = $1");
    if (sql_.query(taken, session.name).next())
        throw Failure(schema::failed("already_exists", "A session called " + session.name + " exists already",
                                     {{"name", session.name}}));
    static const Statement insert("session_insert",
                                  "INSERT INTO claudecode_sessions (" SESSION_COLUMNS
                                  ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");
    sql_.execute(insert, session.id, session.name, session.tree, session.head, session.claude_session_id,
                 session.cli_head, session.working_dir, session.model,
                 schema::to_json_text(schema::encode(session.settings)), text_of(session.metadata),
                 session.forked_from, session.created_at, session.updated_at);
}

std::optional<Session> SessionStore::find(const std::string& id_or_exact_name) {
    static const Statement by_id("session_by_id",
                                 "SELECT " SESSION_COLUMNS " FROM claudecode_sessions WHERE id = $1");
    static const Statement by_name("session_by_name",
                                   "SELECT " SESSION_COLUMNS " FROM claudecode_sessions WHERE name = $1");
    if (const auto id = schema::parse_uuid(id_or_exact_name)) {
        auto rows = sql_.query(by_id, *id);
        if (rows.next()) return read_session(*rows);
    }
    auto rows = sql_.query(by_name, id_or_exact_name);
    if (rows.next()) return read_session(*rows);
    return std::nullopt;
}

Session SessionStore::get(Uuid id) {
    auto found = find(schema::to_text(id));
    if (!found) throw no_session(schema::to_text(id));
    return std::move(*found);
}

Session SessionStore::get(const std::string& id_or_name) {
    if (auto found = find(id_or_name)) return std::move(*found);
    // A range, not LIKE: `%` and `_` in a name mean themselves.
    static const Statement by_prefix("session_by_prefix",
                                     "SELECT " SESSION_COLUMNS
                                     " FROM claudecode_sessions WHERE name >= $1 AND "
                                     "substr(name, 1, length($1)) = $1 ORDER BY name LIMIT 5");
    std::vector<Session> matching;
    if (!id_or_name.empty())
        for (const auto& row : sql_.query(by_prefix, id_or_name)) matching.push_back(read_session(row));
    if (matching.empty()) throw no_session(id_or_name);
    if (matching.size() == 1) return std::move(matching[0]);
    std::string names;
    for (const auto& session : matching) names += (names.empty() ? "" : ", ") + session.name;
    throw Failure(schema::failed(
        "ambiguous_name", "ambiguous session name '" + id_or_name + "' matches multiple sessions: " + names,
        {{"session", id_or_name}}));
}

std::vector<Session> SessionStore::list() {
    static const Statement all("session_list", "SELECT " SESSION_COLUMNS
                                               " FROM claudecode_sessions ORDER BY created_at DESC, id DESC");
    std::vector<Session> sessions;
    for (const auto& row : sql_.query(all)) sessions.push_back(read_session(row));
    return sessions;
}

void SessionStore::rename(Uuid id, const std::string& name, std::int64_t now) {
    if (const auto other = find(name); other && other->id != id)
        throw Failure(schema::failed("already_exists", "A session called " + name + " exists already",
                                     {{"name", name}}));
    static const Statement update("session_rename",
                                  "UPDATE claudecode_sessions SET name = $2, updated_at = $3 WHERE id = $1");
    sql_.execute(update, id, name, now);
}

void SessionStore::set_head(Uuid id, Uuid head, std::int64_t now) {
    static const Statement update("session_set_head",
                                  "UPDATE claudecode_sessions SET head = $2, updated_at = $3 WHERE id = $1");
    sql_.execute(update, id, head, now);
}

void SessionStore::advance(Uuid id, Uuid head, const std::string& claude_session_id, std::int64_t now) {
    static const Statement update(
        "session_advance",
        "UPDATE claudecode_sessions SET head = $2, cli_head = $2, claude_session_id = $3, "
        "updated_at = $4 WHERE id = $1");
    sql_.execute(update, id, head, claude_session_id, now);
}

void SessionStore::forget_cli(Uuid id, std::int64_t now) {
    static const Statement update("session_forget_cli",
                                  "UPDATE claudecode_sessions SET cli_head = NULL, "
                                  "claude_session_id = NULL, updated_at = $2 WHERE id = $1");
    sql_.execute(update, id, now);
}

void SessionStore::set_model(Uuid id, const std::string& model, std::int64_t now) {
    static const Statement update("session_set_model",
                                  "UPDATE claudecode_sessions SET model = $2, updated_at = $3 WHERE id = $1");
    sql_.execute(update, id, model, now);
}

void SessionStore::set_settings(Uuid id, const Settings& settings, std::int64_t now) {
    static const Statement update(
        "session_set_settings",
        "UPDATE claudecode_sessions SET settings = $2, updated_at = $3 WHERE id = $1");
    sql_.execute(update, id, schema::to_json_text(schema::encode(settings)), now);
}

void SessionStore::remove(Uuid id) {
    static const Statement session("session_delete", "DELETE FROM claudecode_sessions WHERE id = $1");
    sql_.execute(session, id);
}

void SessionStore::add_stream(ChatStream& stream) {
    static const Statement insert(
        "stream_insert", "INSERT INTO chat_streams (" STREAM_COLUMNS
                         ") VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM chat_streams), $2, $3, $4, "
                         "$5, $6, $7, $8, $9, $10, $11) RETURNING number");
    auto rows = sql_.query(insert, stream.id, stream.session, stream.tree, stream.root_node,
                           word(stream.status), stream.prompt, stream.prompt_uuid, stream.ephemeral,
                           stream.started_at, stream.ended_at, stream.error);
    if (rows.next()) stream.number = rows->integer(0);
}

void SessionStore::start_stream(Uuid id, Uuid root_node, const std::string& process) {
    static const Statement update(
        "stream_start",
        "UPDATE chat_streams SET root_node = $2, process = $3, status = 'running' WHERE id = $1");
    sql_.execute(update, id, root_node, process);
}

void SessionStore::set_status(Uuid id, StreamStatus status) {
    static const Statement update("stream_status", "UPDATE chat_streams SET status = $2 WHERE id = $1");
    sql_.execute(update, id, word(status));
}

void SessionStore::end_stream(Uuid id, StreamStatus status, const std::optional<std::string>& error,
                              std::int64_t now) {
    static const Statement update(
        "stream_end",
        "UPDATE chat_streams SET status = $2, error = $3, ended_at = $4, process = NULL WHERE id = $1");
    sql_.execute(update, id, word(status), error, now);
}

ChatStream SessionStore::stream(Uuid id) {
    static const Statement by_id("stream_by_id", "SELECT " STREAM_COLUMNS " FROM chat_streams WHERE id = $1");
    auto rows = sql_.query(by_id, id);
    if (!rows.next())
        throw Failure(schema::not_found("stream not found: " + schema::to_text(id),
                                        {{"stream_id", schema::to_text(id)}}));
    return read_stream(*rows);
}

std::vector<ChatStream> SessionStore::streams(std::optional<Uuid> session, std::int64_t limit) {
    static const Statement all("stream_list",
                               "SELECT " STREAM_COLUMNS " FROM chat_streams ORDER BY number DESC LIMIT $1");
    static const Statement of_session("stream_list_of_session",
                                      "SELECT " STREAM_COLUMNS
                                      " FROM chat_streams WHERE session = $1 ORDER BY number DESC LIMIT $2");
    std::vector<ChatStream> streams;
    if (session)
        for (const auto& row : sql_.query(of_session, *session, limit)) streams.push_back(read_stream(row));
    else
        for (const auto& row : sql_.query(all, limit)) streams.push_back(read_stream(row));
    return streams;
}

std::optional<ChatStream> SessionStore::newest_stream(Uuid session) {
    auto newest = streams(session, 1);
    return newest.empty() ? std::nullopt : std::optional(std::move(newest[0]));
}

std::vector<ChatStream> SessionStore::open_streams() {
    static const Statement open("stream_open", "SELECT " STREAM_COLUMNS
                                               " FROM chat_streams WHERE status IN ('queued', 'running', "
                                               "'awaiting_approval') ORDER BY number");
    std::vector<ChatStream> streams;
    for (const auto& row : sql_.query(open)) streams.push_back(read_stream(row));
    return streams;
}

std::vector<std::string> SessionStore::recorded_processes() {
    static const Statement recorded("stream_processes",
                                    "SELECT process FROM chat_streams WHERE status IN ('queued', 'running', "
                                    "'awaiting_approval') AND process IS NOT NULL");
    std::vector<std::string> records;
    for (const auto& row : sql_.query(recorded)) records.push_back(row.get<std::string>(0));
    return records;
}

}  // namespace plexus::claudecode
