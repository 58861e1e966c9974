#include "tests/storage/crash_store.hpp"
#include "tests/support/loop.hpp"

#include <boost/asio/use_future.hpp>

#include <cstdio>
#include <thread>

namespace plexus::tests {

namespace {

struct Acknowledged {
    std::size_t position;  // of the disk when the answer came
    Entry entry;
};

struct Recording {
    std::vector<Operation> operations;
    std::vector<Acknowledged> acknowledged;
};

// Rounds of one to four writers that wait for their answers at the same time.
awaitable<void> write_rounds(hub::Storage& storage, const CrashDisk& disk, int rounds, Recording& recording) {
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    for (int round = 0; round < rounds; ++round) {
        for (int stream = 0; stream <= round % 4; ++stream)
            group.spawn([&, stream]() -> awaitable<void> {
                const auto entry = co_await append(storage, stream);
                recording.acknowledged.push_back({disk.position(), entry});
            });
        co_await group.join();
    }
}

// The store empties its log by itself when it is idle and the log is worth it.
awaitable<void> until_checkpoint(hub::Storage& storage) {
    while ((co_await storage.health()).log_bytes > 1'000'000) co_await pause(std::chrono::milliseconds(5));
}

struct Variation {
    storage::Synchronous synchronous = storage::Synchronous::full;
    bool acknowledge_early = false;
    std::chrono::microseconds every_sync{0};
};

// First start, writes, checkpoints while it runs and when it ends, a migration, more writes.
Recording record(int rounds, const Variation& variation = {}) {
    const Temporary directory;
    CrashDisk disk;
    disk.slow_down(variation.every_sync);
    Recording recording;
    for (const auto& migrations : {ledger_migrations_before(), ledger_migrations()}) {
        auto options = on(disk, directory.path(), migrations);
        options.synchronous = variation.synchronous;
        options.acknowledge_early = variation.acknowledge_early;
        boost::asio::io_context loop(1);
        const auto storage = storage::open_sqlite(options);
        run(loop, write_rounds(*storage, disk, rounds, recording));
        run(loop, until_checkpoint(*storage));
        run(loop, write_rounds(*storage, disk, rounds / 4, recording));
    }
    recording.operations = disk.operations();
    return recording;
}

struct Findings {
    std::size_t points = 0, recoveries = 0;
    std::size_t unopenable = 0;  // the store refuses to open
    std::size_t broken = 0;      // it opens, but its rules do not hold
    std::size_t losing = 0;      // an acknowledged entry is missing
    std::size_t worst = 0;       // how many of them at once
    std::string first;           // what was found first, and where

    void add(const Findings& other) {
        points += other.points, recoveries += other.recoveries, unopenable += other.unopenable;
        broken += other.broken, losing += other.losing, worst = std::max(worst, other.worst);
        if (first.empty()) first = other.first;
    }
    void print(const char* what) const {
        std::printf(
            "%-22s %5zu points, %5zu recoveries: %zu unopenable, %zu broken, %zu losing (worst %zu) %s\n",
            what, points, recoveries, unopenable, broken, losing, worst, first.c_str());
        std::fflush(stdout);
    }
};

awaitable<Audit> look_and_write_on(hub::Storage& storage, std::vector<Entry> expected) {
    co_await append(storage, 0);
    co_return co_await audit(storage, std::move(expected));
}

// Opens what a crash has left as the daemon would, looks, and writes on.
void recover(Image image, const std::filesystem::path& directory, const std::vector<Entry>& expected,
             const std::string& where, Findings& findings) {
    static const auto migrations = ledger_migrations();
    const CrashDisk disk(std::move(image));
    ++findings.recoveries;
    Audit found;
    try {
        boost::asio::io_context loop(1);
        const auto storage = storage::open_sqlite(on(disk, directory, migrations));
        auto answer =
            boost::asio::co_spawn(loop, look_and_write_on(*storage, expected), boost::asio::use_future);
        loop.run();  // not run(): Catch counts in one thread only
        found = answer.get();
    } catch (const schema::Failure& failure) {
        ++findings.unopenable;
        if (findings.first.empty()) findings.first = where + failure.what();
        return;
    }
    findings.broken += !found.problems.empty();
    findings.losing += found.missing > 0;
    findings.worst = std::max(findings.worst, found.missing);
    if (findings.first.empty() && !found.sound())
        findings.first = where + (found.problems.empty() ? "acknowledged and gone" : found.problems.front());
}

// Every `stride`-th point by this worker, with its own disk, directory and dice.
Findings recover_share(const Recording& recording, std::span<const Loss> losses, std::size_t stride,
                       std::size_t offset) {
    const Temporary directory;
    std::mt19937 random(static_cast<unsigned>(offset));
    Findings findings;
    Replay replay(recording.operations);
    std::vector<Entry> expected;
    auto next = recording.acknowledged.begin();
    while (replay.advance()) {
        for (; next != recording.acknowledged.end() && next->position <= replay.position(); ++next)
            expected.push_back(next->entry);
        if (replay.position() % stride != offset) continue;
        ++findings.points;
        for (const auto loss : losses) {
            const auto where = "at " + std::to_string(replay.position()) + "/" +
                               std::to_string(static_cast<int>(loss)) + ": ";
            recover(replay.crash(loss, random), directory.path(), expected, where, findings);
        }
    }
    return findings;
}

Findings recover_everywhere(const Recording& recording, std::vector<Loss> losses, std::size_t every) {
    constexpr std::size_t workers = 2;
    std::vector<Findings> shares(workers);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
        threads.emplace_back(
            [&, i] { shares[i] = recover_share(recording, losses, workers * every, i * every); });
    for (auto& thread : threads) thread.join();
    Findings all;
    for (const auto& share : shares) all.add(share);
    return all;
}

constexpr int rounds = 104;

// Every point in a plain build; under a sanitizer every eighth, to stay below a minute.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::size_t sparse = 8;
#else
constexpr std::size_t sparse = 1;
#endif

}  // namespace

TEST_CASE("no crash at any point of a store's life takes what was acknowledged or breaks a rule",
          "[storage][crash]") {
    const Quiet quiet;
    const auto recording = record(rounds);
    const auto findings = recover_everywhere(recording, {Loss::nothing, Loss::unsynced, Loss::torn}, sparse);
    findings.print("full");
    CHECK(findings.points * sparse >= 4000);
    CHECK(findings.unopenable == 0);
    CHECK(findings.broken == 0);
    CHECK(findings.losing == 0);
}

TEST_CASE("the crash test sees a store that does not sync its commits", "[storage][crash]") {
    const Quiet quiet;
    const auto recording = record(rounds / 4, {.synchronous = storage::Synchronous::normal});
    const auto findings = recover_everywhere(recording, {Loss::unsynced}, 4);
    findings.print("control: normal");
    CHECK(findings.losing > findings.points / 10);
    CHECK(findings.broken == 0);
}

TEST_CASE("the crash test sees a store that answers before its commit", "[storage][crash]") {
    const Quiet quiet;
    const auto recording =
        record(rounds / 4, {.acknowledge_early = true, .every_sync = std::chrono::microseconds(300)});
    const auto findings = recover_everywhere(recording, {Loss::nothing, Loss::unsynced}, 4);
    findings.print("control: early answer");
    CHECK(findings.losing > 0);
}

}  // namespace plexus::tests
