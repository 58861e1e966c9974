#include "daemon/storage/connection.hpp"

#include <sqlite3.h>

namespace plexus::storage {

namespace {

using hub::Statement;
using schema::Failure;

const Statement begin_write{"begin", "BEGIN IMMEDIATE"};
const Statement begin_read{"begin", "BEGIN"};
const Statement commit_all{"commit", "COMMIT"};
const Statement rollback_all{"rollback", "ROLLBACK"};
const Statement savepoint_job{"savepoint", "SAVEPOINT job"};
const Statement release_job{"release", "RELEASE job"};
const Statement rollback_job{"rollback to", "ROLLBACK TO job"};

constexpr int busy_timeout_ms = 5000;

int count_frames(void* connection, sqlite3*, const char*, int frames) {
    static_cast<Connection*>(connection)->set_log_frames(frames);
    return SQLITE_OK;
}

// A connection has one user at a time, so SQLite needs no mutex of its own.
SQLite::Database open(const Place& place, Role role) try {
    const int access =
        role == Role::writer ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY;
    return SQLite::Database(place.file, access | SQLite::OPEN_NOMUTEX, busy_timeout_ms, place.vfs);
} catch (const SQLite::Exception& failure) {
    throw Failure(trouble(nullptr, failure.getExtendedErrorCode(), "open " + place.file).error);
}

}  // namespace

Connection::Connection(const Place& place, Role role) : database_(open(place, role)), role_(role) {
    configure(place, role);
}

// Only the writer checkpoints, and never by itself: two checkpointers at once meet SQLite's WAL-reset bug
// (3.7.0 to 3.51.2). No memory map: an I/O error in one is a signal, not an error code.
void Connection::configure(const Place& place, Role role) {
    sqlite3_extended_result_codes(handle(), 1);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    script("PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY");
    if (role == Role::reader) {
        script("PRAGMA query_only = ON; PRAGMA cache_size = -8192");
        return;
    }
    script("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
    script(place.synchronous == Synchronous::full ? "PRAGMA synchronous = FULL"
                                                  : "PRAGMA synchronous = NORMAL");
    // The log file shrinks back to this size once it has been checkpointed.
    script(
        "PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF; PRAGMA cache_size = -16384;"
        "PRAGMA journal_size_limit = 16777216");
    sqlite3_wal_hook(handle(), count_frames, this);
}

void Connection::begin() {
    lost_.reset();
    control(role_ == Role::writer ? begin_write : begin_read);
    inside_ = true;
}

// A commit that fails for any reason but a rule of our own may still have reached the disk.
void Connection::commit() try {
    control(commit_all);
    inside_ = false;
} catch (const Failure& failure) {
    lost_->damage = failure.error().reason == "conflict" ? Damage::transaction : Damage::file;
    throw;
}

void Connection::rollback() noexcept {
    inside_ = false;
    lost_.reset();
    if (sqlite3_get_autocommit(handle())) return;  // SQLite has rolled back by itself
    try {
        control(rollback_all);
    } catch (const Failure&) {  // never committed either; the next begin() tells
    }
}

void Connection::savepoint() { control(savepoint_job); }
void Connection::release_savepoint() { control(release_job); }
void Connection::rollback_to_savepoint() { control(rollback_job); }

void Connection::script(const char* sql) {
    require_open();
    const int code = database_.tryExec(sql);
    if (code != SQLITE_OK) throw Failure(met(code, "script"));
}

std::int64_t Connection::writes() const { return database_.getTotalChanges() + structural_; }

schema::Error Connection::met(int code, std::string_view doing) {
    auto found = trouble(handle(), code, doing);
    const auto error = found.error;
    if (found.damage == Damage::file || (found.damage == Damage::transaction && inside_))
        lost_ = std::move(found);
    return error;
}

std::int64_t Connection::run(const Statement& statement, std::span<const hub::Value> values) {
    require_open();
    return prepared(statement).run(values);
}

hub::Rows Connection::select(const Statement& statement, std::span<const hub::Value> values) {
    require_open();
    return prepared(statement).select(values);
}

// When even these fail there is nothing left to go on with: the transaction counts as lost.
void Connection::control(const Statement& statement) try {
    require_open();
    prepared(statement).run({});
} catch (const Failure& failure) {
    if (!lost_) lost_ = Trouble{failure.error(), Damage::transaction};
    throw;
}

Prepared& Connection::prepared(const Statement& statement) {
    auto* slot = &prepared_[&statement];
    while (*slot && (*slot)->busy()) slot = &(*slot)->spare;
    if (!*slot) *slot = std::make_unique<Prepared>(*this, statement);
    assert((*slot)->made_from(statement) && "statements live as long as the program");
    return **slot;
}

void Connection::require_open() const {
    if (lost_) throw Failure(lost_->error);
}

}  // namespace plexus::storage
