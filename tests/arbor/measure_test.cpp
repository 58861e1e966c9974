// Numbers, not verdicts: run with `arbor_tests [measure]`, from an optimised build.
#include "activations/arbor/answers.hpp"
#include "tests/arbor/world.hpp"

#include <sqlite3.h>

#include <iostream>

using namespace plexus;
using namespace plexus::tests;
using hub::awaitable;
using hub::Transaction;

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double milliseconds(int rounds, Work work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

// A chain as upstream stores it: text ids, found by a recursive query.
struct NaiveChain {
    sqlite3* database = nullptr;
    std::string last;

    NaiveChain(const std::filesystem::path& file, int depth) {
        REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
        sqlite3_exec(
            database,
            "PRAGMA journal_mode=WAL; CREATE TABLE nodes (id TEXT PRIMARY KEY, tree_id TEXT, parent_id TEXT, "
            "node_type TEXT, content TEXT, created_at INTEGER); CREATE INDEX by_parent ON nodes (parent_id); "
            "BEGIN",
            nullptr, nullptr, nullptr);
        std::mt19937_64 random(1);
        for (int i = 0; i < depth; ++i) {
            std::array<std::uint8_t, 16> bits;
            for (auto& byte : bits) byte = static_cast<std::uint8_t>(random());
            const auto id = schema::to_text(schema::uuid_v4(bits));
            const auto sql = "INSERT INTO nodes VALUES ('" + id + "', 'tree', " +
                             (last.empty() ? "NULL" : "'" + last + "'") + ", 'text', 'some text', 1)";
            sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
            last = id;
        }
        sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
        sqlite3_prepare_v2(
            database,
            "WITH RECURSIVE up (id, parent_id, content, n) AS (SELECT id, parent_id, content, 0 FROM "
            "nodes WHERE id = ? UNION ALL SELECT nodes.id, nodes.parent_id, nodes.content, n + 1 FROM "
            "nodes JOIN up ON nodes.id = up.parent_id) SELECT id, parent_id, content FROM up ORDER BY n "
            "DESC",
            -1, &statement_, nullptr);
    }
    ~NaiveChain() {
        sqlite3_finalize(statement_);
        sqlite3_close(database);
    }
    std::size_t path() {
        sqlite3_bind_text(statement_, 1, last.c_str(), -1, SQLITE_STATIC);
        std::vector<std::string> ids;
        while (sqlite3_step(statement_) == SQLITE_ROW)
            ids.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0)));
        sqlite3_reset(statement_);
        return ids.size();
    }

private:
    sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

TEST_CASE_METHOD(World, "paths are measured against a recursive query on text ids", "[.][measure]") {
    for (const int depth : {1000, 10'000, 100'000}) {
        const auto id = tree();
        auto at = node_id(root_of(id));
        write([&](Transaction& sql) {
            for (int i = 0; i < depth; ++i) {
                const arbor::NewNode node{
                    trees->new_node(), at, std::string("some text"), {}, false, false, {}, ""};
                arbor::NodeStore(sql).create(tree_id(id), node, 0);
                at = node.id;
            }
            return 0;
        });
        NaiveChain naive(directory / ("naive" + std::to_string(depth)).c_str(), depth);
        const auto rounds = depth > 10'000 ? 3 : 11;
        const auto baseline = milliseconds(rounds, [&] { REQUIRE(naive.path() == std::size_t(depth)); });
        read([&](Transaction& sql) {
            const arbor::PathParams asked{tree_id(id), at, {}, {}};
            const auto found = arbor::NodeStore(sql).find(arbor::TreeStore(sql).get(tree_id(id)), at);
            arbor::Paths paths(sql);
            const auto ids_only = milliseconds(rounds, [&] {
                const auto line = paths.to(found);
                REQUIRE(paths.ids(line, 0, line.depth()).size() == std::size_t(depth) + 1);
            });
            const auto rows = milliseconds(
                rounds, [&] { REQUIRE(paths.load(paths.to(found)).size() == std::size_t(depth) + 1); });
            const auto answer = milliseconds(rounds, [&] { path_data_answer(sql, asked, 1 << 30); });
            std::cout << "path " << depth << " deep: naive " << baseline << " ms; ids " << ids_only << " ms ("
                      << ids_only / baseline << "), nodes " << rows << " ms (" << rows / baseline
                      << "), context_get_path answer " << answer << " ms (" << answer / baseline << ")\n";
            return 0;
        });
    }
}

TEST_CASE_METHOD(World, "appends are measured at 1, 16 and 128 waiting", "[.][measure]") {
    const auto id = tree();
    const std::string payload = "{\"type\":\"content_delta\",\"text\":\"" + std::string(265, 'x') + "\"}";
    for (const int waiting : {1, 16, 128}) {
        std::vector<ChainId> chains;
        for (int i = 0; i < std::min(waiting, 64); ++i) chains.push_back(stream(id, root_of(id), 1));
        const int each = waiting == 1 ? 2000 : 40'000 / waiting;
        hub::TaskGroup group(loop.get_executor());
        const auto start = Clock::now();
        for (int i = 0; i < waiting; ++i)
            group.spawn(
                [this, &payload, each, chain = chains[std::size_t(i) % chains.size()]]() -> awaitable<void> {
                    for (int n = 0; n < each; ++n)
                        co_await trees->streams().append(
                            chain, {{0, trees->new_node(), "content_delta", clock.milliseconds(), payload}});
                });
        run(loop, group.join());
        const auto seconds = std::chrono::duration<double>(Clock::now() - start).count();
        std::cout << "append, " << waiting << " waiting: " << std::lround(waiting * each / seconds)
                  << " events/s\n";
    }
}

TEST_CASE_METHOD(World, "nodes are measured as they are made", "[.][measure]") {
    const auto id = tree();
    auto at = node_id(root_of(id));
    const auto start = Clock::now();
    write([&](Transaction& sql) {
        for (int i = 0; i < 50'000; ++i) {
            const arbor::NewNode node{
                trees->new_node(), at, vault->handle("x"), {}, false, i % 4 != 0, {}, ""};
            arbor::NodeStore(sql).create(tree_id(id), node, 0);
            if (i % 4 == 0) at = node.id;
        }
        return 0;
    });
    const auto seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::cout << "node create in one transaction: " << std::lround(50'000 / seconds) << "/s\n";
    const auto render = milliseconds(3, [&] { call("tree_render", {{"tree_id", id}, {"resolve", false}}); });
    std::cout << "tree_render of 50 000 nodes: " << render << " ms\n";
    const auto get =
        milliseconds(1001, [&] { call("node_get", {{"tree_id", id}, {"node_id", to_text(at)}}); });
    std::cout << "node_get through the hub: " << get * 1000 << " us\n";
}
