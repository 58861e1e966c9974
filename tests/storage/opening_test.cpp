#include "tests/storage/ledger.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/storage_files.hpp"

#include <sys/stat.h>

namespace plexus::tests {

namespace {

std::string reason_to_refuse(const storage::Options& options) try {
    storage::open_sqlite(options);
    return "";
} catch (const schema::Failure& failure) {
    return failure.error().reason;
}

mode_t mode(const std::filesystem::path& file) {
    struct stat status{};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

awaitable<void> append_one(hub::Storage& storage) { co_await append(storage, 1); }

awaitable<void> expect_events(hub::Storage& storage, std::int64_t events) {
    CHECK(co_await count_events(storage) == events);
}

struct Umask {
    explicit Umask(mode_t mask) : before(::umask(mask)) {}
    ~Umask() { ::umask(before); }
    mode_t before;
};

}  // namespace

TEST_CASE("a directory has one store at a time, and the first is not disturbed", "[storage]") {
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    run(loop, append_one(*store.storage));
    for (int i = 0; i < 20; ++i) CHECK(reason_to_refuse(store.options()) == "locked");
    run(loop, append_one(*store.storage));
    store.reopen();
    run(loop, expect_events(*store.storage, 2));
}

TEST_CASE("only their owner can read the files of a store", "[storage]") {
    const Umask open_to_all(0);
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    run(loop, append_one(*store.storage));
    run(loop, expect_events(*store.storage, 1));
    run(loop, store.storage->backup(store.directory / "copy.db"));
    const auto state = store.options().directory;
    CHECK(mode(state) == 0700);
    for (const auto* name : {"plexus.db", "plexus.db-wal", "plexus.db-shm", "lock", "ballast"}) {
        CAPTURE(name);
        CHECK(mode(state / name) == 0600);
    }
    CHECK(mode(store.directory / "copy.db") == 0600);
}

TEST_CASE("a database of a newer program, or of another history, is refused and left as it is", "[storage]") {
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    run(loop, append_one(*store.storage));
    store.storage.reset();
    auto options = store.options();

    const auto older = ledger_migrations_before();
    options.migrations = older;
    CHECK(reason_to_refuse(options) == "schema_newer");

    auto changed = ledger_migrations();
    const auto sql = std::string(changed[1].sql) + " ";
    changed[1].sql = sql;
    options.migrations = changed;
    CHECK(reason_to_refuse(options) == "schema_changed");

    store.open();
    run(loop, expect_events(*store.storage, 1));
}

TEST_CASE("a migration that fails leaves the database as it was", "[storage]") {
    const auto* const sql =
        GENERATE("CREATE TABLE more (key INTEGER PRIMARY KEY); SELEKT",
                 "CREATE TABLE more (key INTEGER PRIMARY KEY); INSERT INTO more VALUES (1), (1)",
                 "CREATE TABLE more (event INTEGER REFERENCES events (key));"
                 "INSERT INTO more VALUES (99)");
    boost::asio::io_context loop(1);
    FileStore store(ledger_migrations());
    run(loop, append_one(*store.storage));
    store.storage.reset();
    auto broken = ledger_migrations();
    broken.push_back({1002, "broken", sql});
    auto options = store.options();
    options.migrations = broken;
    CHECK(reason_to_refuse(options) == "migration_failed");
    broken.back() = {1002, "mended", "CREATE TABLE more (key INTEGER PRIMARY KEY)"};
    store.migrations = broken;
    store.open();
    run(loop, expect_events(*store.storage, 1));
}

}  // namespace plexus::tests
