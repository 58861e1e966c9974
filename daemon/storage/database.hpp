// The database file and its condition: the writing connection, what to do when the disk fails or is full, and
// when the log is emptied into the file. Belongs to the writer thread, but for health().
#pragma once

#include "daemon/storage/ballast.hpp"
#include "daemon/storage/options.hpp"
#include "daemon/storage/readers.hpp"
#include "daemon/storage/state_directory.hpp"
#include "hub/storage.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace plexus::storage {

// What became of a transaction whose commit failed.
enum class Outcome { kept, undone, unknown };

class Database {
public:
    explicit Database(const Options& options);  // locks, opens, migrates
    ~Database();

    Readers& readers() { return readers_; }
    Connection* connection() { return connection_.get(); }  // null when the store is read-only

    // Why an ordinary write, or one that may use the reserve, cannot be taken now.
    std::optional<schema::Error> refuses(bool may_use_reserve) const;
    bool full() const { return full_; }
    // A full disk may have room again.
    void look_for_room();
    // The disk is full: gives up the ballast. False when that was done before.
    bool release_reserve();

    std::int64_t next_commit() const { return commits_ + 1; }
    void committed();
    // Closes everything, opens it again and reads whether the commit under way is in. The second time the
    // disk fails, and whenever it cannot be read back, the store is read-only from then on.
    Outcome reopen(const schema::Error& why);

    // Empties the log into the database when it is worth it: sooner when nobody waits. What the disk said if
    // it failed, so that reopen() is called for.
    std::optional<schema::Error> checkpoint(bool idle);
    bool wants_checkpoint(bool idle) const;
    void close();

    hub::StorageHealth health() const;

private:
    void open();
    void restart_log();
    void set_mode(hub::StorageMode mode, std::string reason);
    void become_read_only(const std::string& reason);

    Options options_;
    StateDirectory directory_;
    Place place_;
    Ballast ballast_;
    Readers readers_;
    std::unique_ptr<Connection> connection_;
    bool full_ = false;
    int failures_ = 0;
    int tried_frames_ = 0;  // the log's length when it was last tried and could not be emptied
    std::string failure_;   // what the disk did, for health()

    std::atomic<std::int64_t> commits_ = 0;
    std::atomic<std::int64_t> frames_ = 0;
    mutable std::mutex mutex_;
    hub::StorageMode mode_ = hub::StorageMode::read_write;
    std::string reason_;
};

}  // namespace plexus::storage
