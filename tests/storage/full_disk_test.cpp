#include "tests/storage/crash_store.hpp"
#include "tests/support/loop.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace plexus::tests {

namespace {

class SmallDisk {
public:
    explicit SmallDisk(const char* size) {
        mounted_ = ::mount("plexus-test", directory_.path().c_str(), "tmpfs", 0, size) == 0;
    }
    ~SmallDisk() {
        if (mounted_) ::umount2(directory_.path().c_str(), MNT_DETACH);
    }
    explicit operator bool() const { return mounted_; }
    std::filesystem::path operator/(const char* name) const { return directory_ / name; }

private:
    Temporary directory_;
    bool mounted_ = false;
};

// The reason it failed, or "".
awaitable<std::string> try_append(hub::Storage& storage, std::vector<Entry>& acknowledged,
                                  hub::Room room = hub::Room::ordinary) try {
    acknowledged.push_back(co_await append(storage, 0, room));
    co_return "";
} catch (const schema::Failure& failure) {
    co_return failure.error().reason;
}

awaitable<void> fill_and_free(hub::Storage& storage, std::filesystem::path filler,
                              std::vector<Entry>& acknowledged) {
    std::string reason;
    while (reason.empty() && acknowledged.size() < 20000) reason = co_await try_append(storage, acknowledged);
    CHECK(reason == "storage_full");
    CHECK(acknowledged.size() > 50);

    CHECK(co_await try_append(storage, acknowledged) == "storage_full");
    CHECK(static_cast<std::size_t>(co_await count_events(storage)) == acknowledged.size());
    const auto health = co_await storage.health();
    CAPTURE(health.reason);
    CHECK(health.mode == hub::StorageMode::degraded);
    for (int i = 0; i < 8; ++i) CHECK(co_await try_append(storage, acknowledged, hub::Room::reserve) == "");

    std::filesystem::remove(filler);
    const auto freed = std::chrono::steady_clock::now();
    while (co_await try_append(storage, acknowledged) != "") co_await pause(std::chrono::milliseconds(10));
    CHECK(std::chrono::steady_clock::now() - freed < std::chrono::seconds(5));
    CHECK((co_await storage.health()).mode == hub::StorageMode::read_write);
}

awaitable<void> check_sound(hub::Storage& storage, std::vector<Entry> expected) {
    const auto found = co_await audit(storage, std::move(expected));
    CHECK(found.problems == std::vector<std::string>());
    CHECK(found.missing == 0);
}

}  // namespace

TEST_CASE("on a full disk reads go on, last events are kept, and writes resume when there is room",
          "[storage][full]") {
    const Quiet quiet;
    const SmallDisk disk("size=4m");
    if (!disk) {
        WARN("NOT TESTED: a full disk needs root and the right to mount a tmpfs: " << std::strerror(errno));
        return;
    }
    std::ofstream(disk / "filler") << std::string(1 << 20, 'x');
    storage::Options options;
    options.directory = disk / "state";
    options.ballast_bytes = 512 << 10;
    const auto migrations = ledger_migrations();
    options.migrations = migrations;

    std::vector<Entry> acknowledged;
    boost::asio::io_context loop(1);
    {
        const auto storage = storage::open_sqlite(options);
        run(loop, fill_and_free(*storage, disk / "filler", acknowledged));
    }
    const auto storage = storage::open_sqlite(options);
    run(loop, check_sound(*storage, acknowledged));
}

}  // namespace plexus::tests
