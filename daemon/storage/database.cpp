#include "daemon/storage/database.hpp"

#include "daemon/storage/batch.hpp"
#include "daemon/storage/log_file.hpp"
#include "hub/log.hpp"

#include <sqlite3.h>

namespace plexus::storage {

namespace {

using hub::StorageMode;
using schema::Failure;

constexpr std::int64_t frame_bytes = 4096 + 24;
constexpr int busy_frames = 4096;  // under load: large enough to pay, small enough not to be felt
constexpr int idle_frames = 256;
constexpr std::chrono::milliseconds patience{20};
constexpr std::chrono::seconds longest_read{1};

}  // namespace

Database::Database(const Options& options)
    : options_(options),
      directory_(options.directory),
      place_{(directory_.path() / "plexus.db").string(), options.vfs, options.synchronous},
      ballast_(directory_.path() / "ballast", options.ballast_bytes),
      readers_(place_, options.readers) {
    if (place_.vfs.empty()) directory_.make_private(place_.file);
    try {
        open();
    } catch (const Failure& failure) {
        if (failure.error().reason != "storage_full") throw;
        ballast_.release();  // even reading needs a little room
        open();
    }
    migrate(*connection_, options_.migrations);
    directory_.sync();
    commits_ = last_commit(*connection_);
    full_ = !ballast_.restore();
    if (full_) set_mode(StorageMode::degraded, "The disk is full.");
}

Database::~Database() { close(); }

void Database::open() {
    const auto log = options_.trust_failed_sync ? 0 : settle_log(place_);
    connection_ = std::make_unique<Connection>(place_, Role::writer);
    connection_->set_log_frames(static_cast<int>(log / frame_bytes));
    frames_ = connection_->log_frames();
    tried_frames_ = 0;
}

std::optional<schema::Error> Database::refuses(bool may_use_reserve) const {
    if (!connection_) return schema::failed("read_only", "The store is read-only: " + failure_);
    if (!full_ || may_use_reserve) return std::nullopt;
    auto error = schema::failed("storage_full", "The disk is full.");
    error.recoverable = true;
    return error;
}

void Database::look_for_room() {
    if (!full_ || !connection_ || !ballast_.restore()) return;
    full_ = false;
    hub::log::info("disk has room again");
    set_mode(failures_ > 0 ? StorageMode::degraded : StorageMode::read_write, failure_);
}

bool Database::release_reserve() {
    if (full_) return false;
    ballast_.release();
    full_ = true;
    hub::log::error("disk is full", {{"directory", directory_.path().string()}});
    set_mode(StorageMode::degraded, "The disk is full.");
    return true;
}

void Database::committed() {
    ++commits_;
    frames_ = connection_->log_frames();
}

Outcome Database::reopen(const schema::Error& why) {
    const bool disk_failed = why.reason != "storage_full";
    if (disk_failed) {
        ++failures_;
        failure_ = why.message;
        hub::log::error("disk failed", {{"reason", why.message}, {"times", failures_}});
    }
    auto outcome = Outcome::unknown;
    readers_.pause_and_close();
    connection_.reset();
    try {
        open();
        const auto found = last_commit(*connection_);
        if (found == commits_) outcome = Outcome::undone;
        else if (found == next_commit()) outcome = Outcome::kept;
        else throw Failure(schema::failed("corrupt", "The store's own count of commits is wrong."));
        commits_ = found;
        if (failures_ > 1) become_read_only(failure_);
        else if (disk_failed) set_mode(StorageMode::degraded, failure_);
    } catch (const Failure& failure) {
        become_read_only(failure.what());
    }
    readers_.resume();
    return outcome;
}

void Database::become_read_only(const std::string& reason) {
    connection_.reset();
    failure_ = reason;
    hub::log::error("store is read-only now", {{"reason", reason}});
    set_mode(StorageMode::read_only, reason);
}

bool Database::wants_checkpoint(bool idle) const {
    if (!connection_ || full_) return false;
    return connection_->log_frames() - tried_frames_ >= (idle ? idle_frames : busy_frames);
}

std::optional<schema::Error> Database::checkpoint(bool idle) {
    if (!wants_checkpoint(idle)) return std::nullopt;
    int frames = 0, done = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &done);
    tried_frames_ = connection_->log_frames();
    if (code == SQLITE_OK && frames == done) restart_log();
    else if (frames * frame_bytes > options_.log_bytes) readers_.interrupt(longest_read);
    if (code == SQLITE_OK || code == SQLITE_BUSY) return std::nullopt;
    auto error = trouble(connection_->handle(), code, "checkpoint").error;
    if (error.reason != "storage_full") return error;
    release_reserve();
    return std::nullopt;
}

// The log starts over at its beginning only if nobody reads from it at that moment. Under steady reads that
// moment never comes by itself, so it is made.
void Database::restart_log() {
    if (!readers_.pause(patience)) return;
    int frames = 0, done = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_RESTART, &frames, &done);
    readers_.resume();
    if (code != SQLITE_OK) return;
    connection_->set_log_frames(0);
    tried_frames_ = 0;
    frames_ = 0;
}

void Database::close() {
    readers_.stop();
    if (!connection_) return;
    int frames = 0, done = 0;
    sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, &frames, &done);
    connection_.reset();
}

void Database::set_mode(StorageMode mode, std::string reason) {
    std::scoped_lock lock(mutex_);
    if (mode_ == StorageMode::read_only) return;
    mode_ = mode;
    reason_ = std::move(reason);
}

hub::StorageHealth Database::health() const {
    hub::StorageHealth health;
    {
        std::scoped_lock lock(mutex_);
        health.mode = mode_;
        health.reason = reason_;
    }
    health.engine = std::string("SQLite ") + sqlite3_libversion();
    health.durability = options_.synchronous == Synchronous::full ? "full" : "normal";
    health.commits = commits_;
    health.log_bytes = frames_ * frame_bytes;
    return health;
}

}  // namespace plexus::storage
