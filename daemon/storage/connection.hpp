// One SQLite connection with its prepared statements. Belongs to one storage thread at a time.
#pragma once

#include "daemon/storage/errors.hpp"
#include "daemon/storage/prepared.hpp"
#include "hub/sql.hpp"

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace plexus::storage {

enum class Synchronous { full, normal };
enum class Role { writer, reader };

// Where the database is and how it is opened.
struct Place {
    std::string file;
    std::string vfs;  // empty: SQLite's own
    Synchronous synchronous = Synchronous::full;
};

class Connection final : public hub::Transaction {
public:
    Connection(const Place& place, Role role);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // The writer's takes the write lock at once; a reader's is a snapshot from its first query on.
    void begin();
    void commit();
    void rollback() noexcept;
    void savepoint();
    void release_savepoint();
    void rollback_to_savepoint();
    void script(const char* sql);  // any number of statements, outside the prepared ones

    // The error that ended the transaction, until the next begin(). Using the connection meanwhile throws it
    // again: SQLite itself would go on and commit every further statement by itself.
    const std::optional<Trouble>& lost() const { return lost_; }
    // Rises with every change made, so that equal values mean "nothing to undo".
    std::int64_t writes() const;
    void note_structural_change() { ++structural_; }
    // Frames in the write-ahead log after the last commit.
    int log_frames() const { return log_frames_; }
    void set_log_frames(int frames) { log_frames_ = frames; }

    schema::Error met(int code, std::string_view doing);
    SQLite::Database& database() { return database_; }
    sqlite3* handle() const { return database_.getHandle(); }

private:
    std::int64_t run(const hub::Statement& statement, std::span<const hub::Value> values) override;
    hub::Rows select(const hub::Statement& statement, std::span<const hub::Value> values) override;
    Prepared& prepared(const hub::Statement& statement);
    void configure(const Place& place, Role role);
    void require_open() const;
    void control(const hub::Statement& statement);

    SQLite::Database database_;
    Role role_;
    bool inside_ = false;
    std::optional<Trouble> lost_;
    std::int64_t structural_ = 0;
    int log_frames_ = 0;
    // Last: a database with statements left cannot be closed.
    std::unordered_map<const hub::Statement*, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace plexus::storage
