#include "tests/storage/crash_store.hpp"
#include "tests/support/loop.hpp"

#include <cerrno>
#include <cstdio>
#include <set>

namespace plexus::tests {

namespace {

struct Tally {
    std::vector<Entry> acknowledged;
    std::size_t unknown = 0;  // writes whose outcome the store could not tell
    std::set<std::string> reasons;
    bool last_worked = false;
    hub::StorageMode mode = hub::StorageMode::read_write;
    std::string health;

    void failed(const schema::Error& error) {
        reasons.insert(error.reason);
        unknown += error.data.is_object() && error.data.value("outcome", "") == "unknown";
        last_worked = false;
    }
};

awaitable<void> try_append(hub::Storage& storage, std::int64_t stream, Tally& tally) try {
    tally.acknowledged.push_back(co_await append(storage, stream));
    tally.last_worked = true;
} catch (const schema::Failure& failure) {
    tally.failed(failure.error());
}

awaitable<void> try_count(hub::Storage& storage, Tally& tally) try {
    co_await count_events(storage);
} catch (const schema::Failure& failure) {
    tally.failed(failure.error());
}

awaitable<void> write_some(hub::Storage& storage, Tally& tally) {
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    for (int round = 0; round < 4; ++round) {
        for (int stream = 0; stream < 2; ++stream)
            group.spawn([&, stream]() { return try_append(storage, stream, tally); });
        co_await group.join();
        co_await try_count(storage, tally);
    }
    co_await try_append(storage, 0, tally);
    if (!tally.last_worked) co_await try_append(storage, 0, tally);
    const auto health = co_await storage.health();
    tally.mode = health.mode;
    tally.health = health.reason;
}

// Two lives of a store, the second with a migration; an open that fails is tried again.
Tally live(CrashDisk& disk, bool trust_failed_sync = false) {
    const Temporary directory;
    Tally tally;
    for (const auto& migrations : {ledger_migrations_before(), ledger_migrations()}) {
        auto options = on(disk, directory.path(), migrations);
        options.trust_failed_sync = trust_failed_sync;
        boost::asio::io_context loop(1);
        std::unique_ptr<hub::Storage> storage;
        for (int attempt = 0; attempt < 2 && !storage; ++attempt) try {
                storage = storage::open_sqlite(options);
            } catch (const schema::Failure& failure) {
                tally.failed(failure.error());
            }
        if (!storage) continue;
        disk.sync_directory();  // as the store has done, past SQLite
        run(loop, write_some(*storage, tally));
    }
    return tally;
}

awaitable<void> look(hub::Storage& storage, std::vector<Entry> expected, Audit& found, std::size_t& events) {
    found = co_await audit(storage, std::move(expected));
    events = static_cast<std::size_t>(co_await count_events(storage));
}

// What is wrong with what the disk holds after `tally`, or nothing.
std::string examine(const CrashDisk& disk, const Tally& tally, Loss loss) try {
    const auto operations = disk.operations();
    Replay replay(operations);
    while (replay.advance()) {
    }
    std::mt19937 random(1);
    const CrashDisk left(replay.crash(loss, random));
    const Temporary directory;
    const auto migrations = ledger_migrations();
    const auto storage = storage::open_sqlite(on(left, directory.path(), migrations));
    Audit found;
    std::size_t events = 0;
    boost::asio::io_context loop(1);
    run(loop, look(*storage, tally.acknowledged, found, events));
    if (!found.problems.empty()) return found.problems.front();
    if (found.missing > 0) return std::to_string(found.missing) + " acknowledged writes are gone";
    if (events > tally.acknowledged.size() + tally.unknown) return "a write that failed is there";
    return "";
} catch (const schema::Failure& failure) {
    return std::string("cannot open: ") + failure.what();
}

struct Faults {
    std::size_t faults = 0, violations = 0, not_over = 0;
    std::set<std::string> reasons;
    std::string first;
};

// Fails the first operation of its kind, then the second, … until a run has none left to fail.
Faults fail_each(Fault::Kind kind, int error, bool trust_failed_sync = false) {
    Faults all;
    for (std::size_t nth = 1;; ++nth) {
        CrashDisk disk({}, {{kind, nth, error}});
        const auto tally = live(disk, trust_failed_sync);
        if (!disk.failed()) return all;
        ++all.faults;
        all.reasons.insert(tally.reasons.begin(), tally.reasons.end());
        if (!tally.last_worked || tally.mode == hub::StorageMode::read_only) {
            ++all.not_over;
            if (all.first.empty()) all.first = std::to_string(nth) + ": " + tally.health;
        }
        for (const auto loss : {Loss::nothing, Loss::unsynced, Loss::torn}) {
            const auto problem = examine(disk, tally, loss);
            all.violations += !problem.empty();
            if (all.first.empty() && !problem.empty()) all.first = std::to_string(nth) + ": " + problem;
        }
    }
}

void print(const char* what, const Faults& found) {
    std::string reasons;
    for (const auto& reason : found.reasons) reasons += " " + reason;
    std::printf("%-22s %4zu faults: %zu violations, %zu not got over; reasons:%s %s\n", what, found.faults,
                found.violations, found.not_over, reasons.c_str(), found.first.c_str());
    std::fflush(stdout);
}

}  // namespace

TEST_CASE("one failed read, write or sync, wherever it comes, loses nothing and is got over",
          "[storage][fault]") {
    const Quiet quiet;
    const auto [name, kind, error] = GENERATE(table<const char*, Fault::Kind, int>({
        {"EIO on write", Fault::Kind::write, EIO},
        {"ENOSPC on write", Fault::Kind::write, ENOSPC},
        {"EIO on sync", Fault::Kind::sync, EIO},
        {"EIO on read", Fault::Kind::read, EIO},
    }));
    const auto found = fail_each(kind, error);
    print(name, found);
    CHECK(found.faults >= 20);
    CHECK(found.violations == 0);
    CHECK(found.not_over == 0);
    for (const auto& reason : found.reasons) {
        CAPTURE(reason);
        CHECK(std::set<std::string>{"storage_error", "storage_full", "migration_failed"}.contains(reason));
    }
}

TEST_CASE("the fault test sees a store that believes a log whose sync has failed", "[storage][fault]") {
    const Quiet quiet;
    const auto found = fail_each(Fault::Kind::sync, EIO, true);
    print("control: trusts syncs", found);
    CHECK(found.violations > 0);
}

TEST_CASE("a disk that goes on failing makes the store read-only, and reads go on", "[storage][fault]") {
    const Quiet quiet;
    const auto kind = GENERATE(Fault::Kind::write, Fault::Kind::sync);
    const auto nth = kind == Fault::Kind::write ? 150U : 16U;
    CrashDisk disk({}, {{kind, nth, EIO, true}});
    const Temporary directory;
    const auto migrations = ledger_migrations();
    Tally tally;
    {
        const auto storage = storage::open_sqlite(on(disk, directory.path(), migrations));
        boost::asio::io_context loop(1);
        for (int i = 0; i < 4; ++i) run(loop, write_some(*storage, tally));
        CHECK(tally.mode == hub::StorageMode::read_only);
        CHECK(tally.reasons == std::set<std::string>{"read_only", "storage_error"});
        CHECK(tally.acknowledged.size() > 0);
        Audit found;
        std::size_t events = 0;
        run(loop, look(*storage, tally.acknowledged, found, events));
        CHECK(found.sound());
    }
    CHECK(examine(disk, tally, Loss::unsynced).empty());
}

}  // namespace plexus::tests
