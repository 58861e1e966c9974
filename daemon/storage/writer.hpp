// The one thread that writes. Calls run as they arrive, and those that came while a commit was under way
// share the next one; a caller is answered only after the commit that holds its writes has returned.
#pragma once

#include "daemon/storage/backup.hpp"
#include "daemon/storage/batch.hpp"
#include "daemon/storage/database.hpp"
#include "daemon/storage/inbox.hpp"

#include <deque>
#include <thread>

namespace plexus::storage {

class Writer {
public:
    explicit Writer(const Options& options);
    ~Writer();

    void write(hub::StorageCall call) noexcept { inbox_.push(std::move(call)); }
    void read(hub::StorageCall call, Lane lane) noexcept {
        database_.readers().submit(std::move(call), lane);
    }
    void backup(std::string path, hub::Waiter waiter) noexcept;
    void close(hub::Waiter waiter) noexcept;
    hub::StorageHealth health();

private:
    using Calls = std::vector<hub::StorageCall>;
    using Time = Inbox::Time;

    void loop();
    void commit_together();
    void commit_now(Calls calls);
    bool add(Batch& batch, hub::StorageCall call);
    bool another_soon(const Batch& batch, Time started);
    void finish(Batch& batch);
    void recover(Batch& batch);
    void run_alone(Calls calls, const schema::Error& error);
    Outcome reopen(const schema::Error& why);
    void abandon_backups(const schema::Error& why);
    std::optional<Time> next_upkeep();
    void upkeep(bool idle);
    void end();

    bool acknowledge_early_;
    Database database_;
    Inbox inbox_;
    std::size_t last_batch_ = 0;
    std::chrono::steady_clock::duration window_{};

    std::mutex mutex_;  // for what other threads ask for, below
    std::deque<Backup> backups_;
    std::vector<hub::Waiter> closing_;
    bool ended_ = false;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace plexus::storage
