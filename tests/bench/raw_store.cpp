#include "tests/bench/raw_store.hpp"

#include "daemon/storage/migrate.hpp"
#include "hub/checksum.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>

namespace plexus::bench {

namespace {

std::uint64_t scrambled(std::uint64_t number) {
    number *= 0x9e3779b97f4a7c15U;
    return number ^ (number >> 29);
}

}  // namespace

Event Feed::next(std::int64_t chain) {
    const auto at = static_cast<std::size_t>(chain);
    if (last_.size() <= at) last_.resize(at + 1);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    Event event;
    event.time = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    event.id = ids_.next(event.time, scrambled(++made_));
    event.chain = chain;
    event.seq = ++last_[at];
    event.payload = R"({"type":"content_delta","text":")" + std::to_string(made_);
    event.payload.append(298 - event.payload.size(), 'x') += "\"}";
    event.checksum = hub::crc32c(event.payload);
    return event;
}

struct RawStore::Connection {
    explicit Connection(const std::string& file)
        : database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX) {
        database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384");
        for (const auto& migration : storage::migrations()) database.exec(std::string(migration.sql));
        database.exec(heads_table);
        begin.emplace(database, "BEGIN IMMEDIATE");
        commit.emplace(database, "COMMIT");
        insert_event.emplace(database, insert_event_sql);
        move_head.emplace(database, move_head_sql);
    }
    static void step(SQLite::Statement& statement) {
        statement.exec();
        statement.reset();
    }
    void append(const Event& event) {
        insert_event->bindNoCopy(1, event.id.data, 16);
        insert_event->bind(2, event.chain);
        insert_event->bind(3, event.seq);
        insert_event->bind(4, event.time);
        insert_event->bind(5, event.checksum);
        insert_event->bindNoCopy(6, event.payload);
        step(*insert_event);
        move_head->bind(1, event.chain);
        move_head->bind(2, event.seq);
        move_head->bindNoCopy(3, event.id.data, 16);
        step(*move_head);
    }

    SQLite::Database database;
    std::optional<SQLite::Statement> begin, commit, insert_event, move_head;
};

RawStore::RawStore(const std::string& directory)
    : connection_(std::make_unique<Connection>(directory + "/raw.db")) {}
RawStore::~RawStore() = default;

double RawStore::run(int together, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::int64_t events = 0;
    double elapsed = 0;
    while (elapsed < seconds) {
        Connection::step(*connection_->begin);
        for (int chain = 0; chain < together; ++chain) connection_->append(feed_.next(chain % most_chains));
        Connection::step(*connection_->commit);
        events += together;
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return static_cast<double>(events) / elapsed;
}

}  // namespace plexus::bench
