// Storage as a port: work goes to the store's threads, the calling coroutine waits without blocking its loop.
// Made in daemon/storage, owned by main. Outlives the coroutines that use it; their loops outlive the store.
//
//     const auto changed = co_await storage.write([=](Transaction& transaction) {
//         return transaction.execute(insert_event, stream, payload);
//     });
//
// Work runs on another thread, and again after a rollback: it captures by value, changes nothing but the
// database and returns what it owns. What it throws reaches its own caller only, and its writes are undone.
#pragma once

#include "hub/storage_call.hpp"
#include "schema/codec.hpp"

#include <string>

namespace plexus::hub {

enum class StorageMode { read_write, degraded, read_only };
DESCRIBE_ENUM(StorageMode, read_write, degraded, read_only)

struct StorageHealth {
    StorageMode mode = StorageMode::read_write;
    std::string reason;
    std::string engine;
    std::string durability;
    std::int64_t commits = 0;
    std::int64_t log_bytes = 0;
    std::int64_t queued = 0;
};
DESCRIBE(StorageHealth, (mode, "What the store does now"),
         (reason, "Why it is not plainly read_write, or empty"), (engine, "Engine and version"),
         (durability, "What an acknowledged write survives: full, or normal"),
         (commits, "Commits since the database was made"), (log_bytes, "Size of the write-ahead log"),
         (queued, "Writes waiting for the next commit"))

struct StorageReport {
    bool ok = true;
    std::vector<std::string> problems;
};
DESCRIBE(StorageReport, (ok, "Nothing was found"), (problems, "What was found, a sentence each"))

// Who may use the room that is kept back for a full disk: the last event of a stream, and little else.
enum class Room { ordinary, reserve };

// large: reads that go through whole tables. They have a thread of their own, so that nobody waits behind
// them.
enum class Effort { small, large };

class Storage {
public:
    template <class Work>
    using Answer = std::invoke_result_t<const Work&, Transaction&>;

    virtual ~Storage() = default;

    // Returns after the commit: what was answered survives power loss. Shares its commit with its neighbours.
    template <class Work>
    awaitable<Answer<Work>> write(Work work, Room room = Room::ordinary) {
        Job<Work> job(std::move(work));
        co_await call(room == Room::reserve ? Access::write_reserve : Access::write, job);
        co_return std::move(job).answer();
    }

    // All queries of one work see the same state, at least as new as every write answered before the call.
    template <class Work>
    awaitable<Answer<Work>> read(Work work, Effort effort = Effort::small) {
        Job<Work> job(std::move(work));
        co_await call(effort == Effort::large ? Access::read_large : Access::read, job);
        co_return std::move(job).answer();
    }

    virtual awaitable<StorageHealth> health() = 0;
    // A consistent copy while writes go on. The file must not exist.
    virtual awaitable<void> backup(std::string path) = 0;
    // deep: every page and every reference; otherwise the structure only.
    virtual awaitable<StorageReport> check(bool deep) = 0;
    // Ends what is queued, then refuses. The destructor does the same, but blocks.
    virtual awaitable<void> close() = 0;

protected:
    enum class Access { read, read_large, write, write_reserve };
    // Takes the call over and answer()s it exactly once, from any thread.
    virtual void submit(Access access, StorageCall call) noexcept = 0;

private:
    template <class Work>
    class Job;
    awaitable<void> call(Access access, StorageJob& job);
};

template <class Work>
class Storage::Job final : public StorageJob {
public:
    explicit Job(Work work) : work_(std::move(work)) {}
    void run(Transaction& transaction) override {
        if constexpr (empty) std::as_const(work_)(transaction);
        else result_.emplace(std::as_const(work_)(transaction));
    }
    Answer<Work> answer() && {
        if constexpr (!empty) return std::move(*result_);
    }

private:
    static constexpr bool empty = std::is_void_v<Answer<Work>>;
    static_assert(!std::is_reference_v<Answer<Work>> && !std::same_as<Answer<Work>, Rows> &&
                      !std::same_as<Answer<Work>, std::string_view> && !std::same_as<Answer<Work>, Blob>,
                  "work returns values it owns: rows and views die with its transaction");
    Work work_;
    std::optional<std::conditional_t<empty, std::monostate, Answer<Work>>> result_;
};

}  // namespace plexus::hub
