#include "tests/support/storage_conformance.hpp"

#include "schema/uuid.hpp"
#include "tests/support/loop.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plexus::tests {

namespace {

using hub::awaitable;
using hub::Statement;
using hub::Storage;
using hub::Transaction;
using schema::Failure;

const Statement insert_item{"insert_item",
                            "INSERT INTO items (key, name, data, weight) VALUES ($1, $2, $3, $4)"};
const Statement insert_swapped{"insert_swapped", "INSERT INTO items (name, key) VALUES ($2, $1)"};
const Statement insert_returning{"insert_returning", "INSERT INTO items (name) VALUES ($1) RETURNING key"};
const Statement insert_part{"insert_part", "INSERT INTO parts (item, number) VALUES ($1, $2)"};
const Statement upsert{"upsert",
                       "INSERT INTO items (key, name) VALUES ($1, $2) "
                       "ON CONFLICT (key) DO UPDATE SET name = excluded.name"};
const Statement rename_item{"rename_item", "UPDATE items SET name = $2 WHERE key = $1"};
const Statement find_item{"find_item", "SELECT key, name, data, weight FROM items WHERE key = $1"};
const Statement all_items{"all_items", "SELECT key, name FROM items ORDER BY key"};
const Statement count_items{"count_items", "SELECT count(*) FROM items"};
const Statement misspelt{"misspelt", "SELEKT 1"};

std::int64_t count(Transaction& transaction) {
    auto rows = transaction.query(count_items);
    rows.next();
    return rows->integer(0);
}

awaitable<std::int64_t> count(Storage& storage) {
    return storage.read([](Transaction& transaction) { return count(transaction); });
}

awaitable<void> add(Storage& storage, std::int64_t key) {
    return storage.write([key](Transaction& transaction) {
        transaction.execute(insert_item, key, "item " + std::to_string(key), nullptr, nullptr);
    });
}

// The reason of the failure, or "" when there was none.
template <class T>
awaitable<std::string> reason_of(awaitable<T> work) {
    try {
        co_await std::move(work);
    } catch (const Failure& failure) {
        co_return failure.error().reason;
    }
    co_return "";
}

awaitable<void> keeps_values(Storage& storage) {
    const auto id = schema::uuid_v5_oid("arbor@1");
    const std::string text("n\0l \xc3\xa9\xe2\x82\xac", 9);
    co_await storage.write([&](Transaction& transaction) {
        transaction.execute(insert_item, 1, text, id, 0.1);
        transaction.execute(insert_item, std::numeric_limits<std::int64_t>::max(), std::string(), hub::Blob(),
                            std::optional<double>());
        transaction.execute(insert_swapped, 3, std::string_view("three"));
    });
    co_await storage.read([&](Transaction& transaction) {
        auto rows = transaction.query(find_item, 1);
        REQUIRE(rows.next());
        CHECK(rows->text(1) == text);
        CHECK(rows->get<std::string>(1) == text);
        CHECK(rows->get<schema::Uuid>(2) == id);
        CHECK(rows->real(3) == 0.1);
        CHECK_FALSE(rows.next());
        auto empty = transaction.query(find_item, std::numeric_limits<std::int64_t>::max());
        REQUIRE(empty.next());
        CHECK(empty->text(1).empty());
        CHECK_FALSE(empty->is_null(2));
        CHECK(empty->blob(2).empty());
        CHECK(empty->is_null(3));
        CHECK(empty->get<std::optional<double>>(3) == std::nullopt);
        auto swapped = transaction.query(find_item, 3);
        REQUIRE(swapped.next());
        CHECK(swapped->text(1) == "three");
        CHECK(swapped->is_null(2));
    });
}

awaitable<void> tells_changes(Storage& storage) {
    co_await storage.write([](Transaction& transaction) {
        CHECK(transaction.execute(insert_item, 1, "one", nullptr, nullptr) == 1);
        CHECK(transaction.execute(rename_item, 1, "uno") == 1);
        CHECK(transaction.execute(rename_item, 2, "due") == 0);
        CHECK(transaction.execute(upsert, 1, "ein") == 1);
        auto rows = transaction.query(insert_returning, "next");
        REQUIRE(rows.next());
        CHECK(rows->integer(0) == 2);
    });
    const auto name = co_await storage.read([](Transaction& transaction) {
        auto rows = transaction.query(find_item, 1);
        rows.next();
        return std::string(rows->text(1));
    });
    CHECK(name == "ein");
}

awaitable<void> nests_a_query(Storage& storage) {
    for (int key = 1; key <= 3; ++key) co_await add(storage, key);
    const auto pairs = co_await storage.read([](Transaction& transaction) {
        int found = 0;
        for (const auto& outer : transaction.query(all_items))
            for (const auto& inner : transaction.query(all_items))
                found += outer.integer(0) <= inner.integer(0);
        return found;
    });
    CHECK(pairs == 6);
}

awaitable<void> keeps_temporaries(Storage& storage) {
    co_await add(storage, 7);
    co_await storage.read([](Transaction& transaction) {
        static const Statement by_name{"by_name", "SELECT key FROM items WHERE name = $1"};
        int found = 0;
        for (const auto& row : transaction.query(by_name, std::string("item ") + "7"))
            found += row.get<int>(0);
        CHECK(found == 7);
    });
}

awaitable<void> reads_its_writes(Storage& storage) {
    for (int key = 1; key <= 50; ++key) {
        co_await add(storage, key);
        CHECK(co_await count(storage) == key);
    }
}

awaitable<void> undoes_a_failure(Storage& storage) {
    co_await add(storage, 1);
    const auto reason = co_await reason_of(storage.write([](Transaction& transaction) {
        transaction.execute(insert_item, 2, "two", nullptr, nullptr);
        throw Failure(schema::not_found("nothing here"));
    }));
    CHECK(reason == "not_found");
    CHECK(co_await count(storage) == 1);
}

awaitable<void> names_conflicts(Storage& storage) {
    co_await add(storage, 1);
    CHECK(co_await reason_of(add(storage, 1)) == "conflict");
    const auto orphan = [](Transaction& transaction) { transaction.execute(insert_part, 99, 1); };
    CHECK(co_await reason_of(storage.write(orphan)) == "conflict");
    const auto nameless = [](Transaction& transaction) {
        transaction.execute(insert_item, 2, nullptr, nullptr, nullptr);
    };
    CHECK(co_await reason_of(storage.write(nameless)) == "conflict");
    CHECK(co_await count(storage) == 1);
}

awaitable<void> survives_a_caught_conflict(Storage& storage) {
    co_await add(storage, 1);
    co_await storage.write([](Transaction& transaction) {
        CHECK_THROWS_AS(transaction.execute(insert_item, 1, "again", nullptr, nullptr), Failure);
        transaction.execute(insert_item, 2, "two", nullptr, nullptr);
    });
    CHECK(co_await count(storage) == 2);
}

// Sent together, so that they share commits: each fourth fails after it has written.
awaitable<void> isolates_neighbours(Storage& storage) {
    constexpr int calls = 200;
    const auto executor = co_await hub::asio::this_coro::executor;
    hub::TaskGroup group(executor);
    int failed = 0;
    for (int key = 1; key <= calls; ++key) {
        group.spawn([&storage, &failed, key]() -> awaitable<void> {
            const auto work = [key](Transaction& transaction) {
                transaction.execute(insert_item, key, std::to_string(key), nullptr, nullptr);
                if (key % 4 == 0) throw Failure(schema::failed("unwanted", "no"));
                return count(transaction);
            };
            const auto reason = co_await reason_of(storage.write(work));
            if (key % 4 == 0) failed += reason == "unwanted";
            else CHECK(reason.empty());
        });
    }
    co_await group.join();
    CHECK(failed == calls / 4);
    CHECK(co_await count(storage) == calls - calls / 4);
}

awaitable<void> keeps_order(Storage& storage) {
    constexpr int calls = 300;
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    std::vector<std::int64_t> keys;
    for (int i = 0; i < calls; ++i) {
        group.spawn([&]() -> awaitable<void> {
            keys.push_back(co_await storage.write([](Transaction& transaction) {
                auto rows = transaction.query(insert_returning, std::to_string(count(transaction)));
                rows.next();
                return rows->integer(0);
            }));
        });
    }
    co_await group.join();
    REQUIRE(keys.size() == calls);
    for (int i = 0; i < calls; ++i) CHECK(keys[static_cast<std::size_t>(i)] == i + 1);
}

awaitable<void> sees_one_snapshot(Storage& storage) {
    std::atomic<bool> first_seen = false, written = false;
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    group.spawn([&]() -> awaitable<void> {
        const auto same = co_await storage.read([&](Transaction& transaction) {
            const auto before = count(transaction);
            first_seen = true;
            first_seen.notify_all();
            written.wait(false);
            return before == count(transaction);
        });
        CHECK(same);
    });
    co_await storage.read([&](Transaction&) { first_seen.wait(false); }, hub::Effort::large);
    co_await add(storage, 1);
    written = true;
    written.notify_all();
    co_await group.join();
    CHECK(co_await count(storage) == 1);
}

awaitable<void> returns_anything(Storage& storage) {
    struct Plain {
        explicit Plain(int v) : value(std::make_unique<int>(v)) {}
        std::unique_ptr<int> value;
    };
    const auto plain = co_await storage.write([](Transaction&) { return Plain(5); });
    CHECK(*plain.value == 5);
    co_await storage.write([](Transaction&) {});
    CHECK(co_await storage.read([](Transaction&) { return std::string("text"); }) == "text");
}

awaitable<void> outlives_its_caller(Storage& storage) {
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    for (int key = 1; key <= 100; ++key) group.spawn([&storage, key]() { return add(storage, key); });
    group.spawn([&storage]() -> awaitable<void> { co_await count(storage); });
    co_await pause(std::chrono::milliseconds(0));  // all are started
    co_await group.cancel_and_join();
    CHECK(co_await count(storage) == 100);
}

awaitable<void> refuses_writes_in_reads(Storage& storage) {
    const auto work = [](Transaction& transaction) {
        transaction.execute(insert_item, 1, "one", nullptr, nullptr);
    };
    CHECK(co_await reason_of(storage.read(work)) == "read_only");
    CHECK(co_await count(storage) == 0);
}

awaitable<void> names_bad_statements(Storage& storage) {
    const auto work = [](Transaction& transaction) { transaction.execute(misspelt); };
    CHECK(co_await reason_of(storage.write(work)) == "internal");
    CHECK(co_await reason_of(storage.read(work)) == "internal");
    co_await add(storage, 1);
}

awaitable<void> is_well(Storage& storage) {
    co_await add(storage, 1);
    const auto health = co_await storage.health();
    CHECK(health.mode == hub::StorageMode::read_write);
    CHECK(health.reason.empty());
    CHECK(health.durability == "full");
    CHECK_FALSE(health.engine.empty());
    CHECK((co_await storage.check(false)).ok);
    CHECK((co_await storage.check(true)).ok);
}

awaitable<void> closes(Storage& storage) {
    hub::TaskGroup group(co_await hub::asio::this_coro::executor);
    int done = 0;
    for (int key = 1; key <= 20; ++key) {
        group.spawn([&storage, &done, key]() -> awaitable<void> {
            co_await add(storage, key);
            ++done;
        });
    }
    co_await pause(std::chrono::milliseconds(0));
    co_await storage.close();
    co_await group.join();
    CHECK(done == 20);
    CHECK(co_await reason_of(add(storage, 21)) == "closed");
    CHECK(co_await reason_of(count(storage)) == "closed");
    co_await storage.close();
}

constexpr ConformanceCase cases[] = {
    {"values come back as they went in", keeps_values},
    {"a statement tells how many rows it changed", tells_changes},
    {"a query may run inside the loop over its own rows", nests_a_query},
    {"a query keeps values whose owners are gone", keeps_temporaries},
    {"a read sees every write answered before it", reads_its_writes},
    {"work that throws leaves nothing behind", undoes_a_failure},
    {"a broken rule is a conflict", names_conflicts},
    {"a conflict that work catches undoes one statement only", survives_a_caught_conflict},
    {"work that fails after writing does not touch its neighbours in the commit", isolates_neighbours},
    {"writes happen and are answered in the order they were sent", keeps_order},
    {"all queries of one read see the same state", sees_one_snapshot},
    {"work may return nothing, or what can only be moved", returns_anything},
    {"a write whose caller was cancelled still happens", outlives_its_caller},
    {"a read cannot write", refuses_writes_in_reads},
    {"a bad statement fails alone and says so", names_bad_statements},
    {"a store in use is in good health", is_well},
    {"closing ends what is queued and refuses what comes later", closes},
};

}  // namespace

std::span<const ConformanceCase> storage_conformance() { return cases; }

}  // namespace plexus::tests
