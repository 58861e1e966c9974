#include "tests/storage/crash_store.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/storage_files.hpp"

#include <cstdio>

namespace plexus::tests {

namespace {

const hub::Statement count_for_ever{"count_for_ever",
                                    "WITH RECURSIVE n (i) AS (SELECT count(*) FROM events UNION ALL SELECT i "
                                    "+ 1 FROM n) SELECT max(i) FROM n"};

awaitable<void> append_many(hub::Storage& storage, int events, std::vector<Entry>& acknowledged) {
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    for (int i = 0; i < events; ++i)
        group.spawn([&, i]() -> awaitable<void> { acknowledged.push_back(co_await append(storage, i % 8)); });
    co_await group.join();
}

awaitable<void> back_up_while_writing(hub::Storage& storage, std::string path, std::vector<Entry>& before) {
    co_await append_many(storage, 2000, before);
    bool copied = false;
    std::size_t meanwhile = 0;
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    group.spawn([&]() -> awaitable<void> {
        co_await storage.backup(path);
        copied = true;
    });
    while (!copied) {
        std::vector<Entry> more;
        co_await append_many(storage, 20, more);
        meanwhile += more.size();
    }
    co_await group.join();
    CHECK(meanwhile > 20);
}

// Inside a write nothing else touches the files, so the copy is what a kill at that moment would leave.
awaitable<void> copy_as_if_killed(hub::Storage& storage, std::filesystem::path from,
                                  std::filesystem::path to) {
    co_await storage.write([=](hub::Transaction&) {
        for (const auto* name : {"plexus.db", "plexus.db-wal"})
            std::filesystem::copy_file(from / name, to / name);
    });
}

awaitable<void> check_sound(hub::Storage& storage, std::vector<Entry> expected) {
    const auto found = co_await audit(storage, std::move(expected));
    CHECK(found.problems == std::vector<std::string>());
    CHECK(found.missing == 0);
}

awaitable<std::string> read_for_ever(hub::Storage& storage) try {
    co_await storage.read([](hub::Transaction& transaction) { transaction.query(count_for_ever).next(); },
                          hub::Effort::large);
    co_return "";
} catch (const schema::Failure& failure) {
    co_return failure.error().reason;
}

awaitable<void> write_beside_a_long_read(hub::Storage& storage, std::int64_t commits) {
    std::string ended;
    std::int64_t longest = 0;
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    group.spawn([&]() -> awaitable<void> { ended = co_await read_for_ever(storage); });
    for (std::int64_t i = 0; i < commits; ++i) {
        std::vector<Entry> ignored;
        co_await append_many(storage, 64, ignored);
        longest = std::max(longest, (co_await storage.health()).log_bytes);
        co_await pause(std::chrono::milliseconds(5));  // as a busy day, not as a flood
    }
    CHECK(ended == "overloaded");
    co_await group.join();
    while ((co_await storage.health()).log_bytes > 1'100'000) co_await pause(std::chrono::milliseconds(5));
    std::printf("log beside an endless read: at most %lld KiB\n", static_cast<long long>(longest >> 10));
    CHECK(longest < 64 << 20);
}

awaitable<void> look(hub::Storage& storage, std::vector<Entry> expected, Audit& found) {
    found = co_await audit(storage, std::move(expected));
}

}  // namespace

TEST_CASE("a backup made while writes go on is a sound store of its own", "[storage][backup]") {
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    std::vector<Entry> before;
    const auto copy = store.directory / "copy";
    std::filesystem::create_directory(copy);
    run(loop, back_up_while_writing(*store.storage, copy / "plexus.db", before));
    CHECK_THROWS_WITH(run(loop, store.storage->backup(copy / "plexus.db")),
                      Catch::Contains("a backup replaces nothing"));
    auto options = store.options();
    options.directory = copy;
    const auto copied = storage::open_sqlite(options);
    run(loop, check_sound(*copied, before));
    run(loop, check_sound(*store.storage, before));
}

TEST_CASE("a store that was killed with a long log opens again with all of it", "[storage][log]") {
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    std::vector<Entry> entries;
    const auto copy = store.directory / "copy";
    std::filesystem::create_directory(copy);
    run(loop, append_many(*store.storage, 3000, entries));
    run(loop, copy_as_if_killed(*store.storage, store.options().directory, copy));
    CHECK(std::filesystem::file_size(copy / "plexus.db-wal") > 2 << 20);
    auto options = store.options();
    options.directory = copy;
    run(loop, check_sound(*storage::open_sqlite(options), entries));
}

TEST_CASE("a read that never ends is ended before the log grows without bound", "[storage][log]") {
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    store.storage.reset();
    auto options = store.options();
    options.log_bytes = 1 << 20;
    const auto storage = storage::open_sqlite(options);
    run(loop, write_beside_a_long_read(*storage, 600));
}

TEST_CASE("a flipped bit is reported, or changes nothing that can be read", "[storage][damage]") {
    const Quiet quiet;
    const Temporary directory;
    const auto migrations = ledger_migrations();
    std::vector<Entry> entries;
    boost::asio::io_context loop(1);
    std::mt19937 random(7);
    Image image;
    {
        const CrashDisk disk;
        run(loop, append_many(*storage::open_sqlite(on(disk, directory.path(), migrations)), 400, entries));
        const auto operations = disk.operations();
        Replay replay(operations);
        while (replay.advance()) {
        }
        image = replay.crash(Loss::nothing, random);
    }
    constexpr int trials = 1000;
    int reported = 0, silent = 0;
    for (int i = 0; i < trials; ++i) {
        auto damaged = image;
        auto& file = damaged["plexus.db"];
        file[random() % file.size()] ^= static_cast<char>(1U << random() % 8);
        const CrashDisk disk(std::move(damaged));
        Audit found;
        try {
            const auto storage = storage::open_sqlite(on(disk, directory.path(), migrations));
            run(loop, look(*storage, entries, found));
        } catch (const schema::Failure& failure) {
            found.problems.emplace_back(failure.what());
        }
        reported += !found.problems.empty();
        silent += found.problems.empty() && found.missing > 0;
    }
    std::printf("flipped bits: %d of %d reported, %d silent, the rest in unused bytes\n", reported, trials,
                silent);
    CHECK(silent == 0);
    CHECK(reported > trials / 2);
}

}  // namespace plexus::tests
