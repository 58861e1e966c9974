#include "tests/storage/ledger.hpp"

#include "hub/checksum.hpp"

#include <map>
#include <set>

namespace plexus::tests {

namespace {

using hub::Statement;
using hub::Transaction;

constexpr auto tables = R"(
CREATE TABLE events (key INTEGER PRIMARY KEY, stream INTEGER NOT NULL, seq INTEGER NOT NULL, node INTEGER NOT NULL,
                     checksum INTEGER NOT NULL, payload TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX events_by_seq ON events (stream, seq);
CREATE TABLE nodes (key INTEGER PRIMARY KEY, parent INTEGER) STRICT;
CREATE TABLE heads (stream INTEGER PRIMARY KEY, seq INTEGER NOT NULL, node INTEGER NOT NULL) STRICT;
)";
constexpr auto rebuilt_tables = R"(
CREATE TABLE events_2 (key INTEGER PRIMARY KEY, stream INTEGER NOT NULL, seq INTEGER NOT NULL, node INTEGER NOT NULL,
                       checksum INTEGER NOT NULL, payload TEXT NOT NULL, size INTEGER) STRICT;
INSERT INTO events_2 SELECT key, stream, seq, node, checksum, payload, length(payload) FROM events;
DROP TABLE events;
ALTER TABLE events_2 RENAME TO events;
CREATE UNIQUE INDEX events_by_seq ON events (stream, seq);
CREATE INDEX nodes_by_parent ON nodes (parent);
)";

const Statement find_head{"find_head",
                          "SELECT h.seq, h.node, e.checksum FROM heads h JOIN events e "
                          "ON e.stream = h.stream AND e.seq = h.seq WHERE h.stream = $1"};
const Statement insert_node{"insert_node", "INSERT INTO nodes (parent) VALUES ($1) RETURNING key"};
const Statement insert_event{
    "insert_event", "INSERT INTO events (stream, seq, node, checksum, payload) VALUES ($1, $2, $3, $4, $5)"};
const Statement move_head{"move_head",
                          "INSERT INTO heads (stream, seq, node) VALUES ($1, $2, $3) "
                          "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, node = excluded.node"};
const Statement count_all{"count_all", "SELECT count(*) FROM events"};
const Statement all_events{"all_events",
                           "SELECT e.stream, e.seq, e.node, e.checksum, e.payload, n.key, n.parent "
                           "FROM events e LEFT JOIN nodes n ON n.key = e.node ORDER BY e.stream, e.seq"};
const Statement all_heads{"all_heads", "SELECT stream, seq, node FROM heads"};
const Statement count_nodes{"count_nodes", "SELECT count(*) FROM nodes"};

struct Last {
    std::int64_t seq = 0;
    std::optional<std::int64_t> node;
    std::uint32_t checksum = 0;
};

Entry append_to(Transaction& transaction, std::int64_t stream) {
    Last last;
    if (auto rows = transaction.query(find_head, stream); rows.next())
        last = {rows->integer(0), rows->integer(1), rows->get<std::uint32_t>(2)};
    std::int64_t node = 0;
    if (auto rows = transaction.query(insert_node, last.node); rows.next()) node = rows->integer(0);
    const Entry entry{stream, last.seq + 1};
    const auto text = payload(entry);
    transaction.execute(insert_event, stream, entry.seq, node, hub::crc32c(text, last.checksum), text);
    transaction.execute(move_head, stream, entry.seq, node);
    return entry;
}

// Every stream: seq 1..n, each event with its node under the node before, an unbroken chain of checksums.
class Auditor {
public:
    explicit Auditor(const std::vector<Entry>& expected) : expected_(expected.begin(), expected.end()) {}

    Audit run(Transaction& transaction) try {
        for (const auto& row : transaction.query(all_events)) see(row);
        std::int64_t heads = 0;
        for (const auto& row : transaction.query(all_heads)) {
            ++heads;
            const auto& last = last_[row.integer(0)];
            require(row.integer(1) == last.seq && row.integer(2) == last.node,
                    "a head is not the last event");
        }
        require(heads == static_cast<std::int64_t>(last_.size()), "a stream has no head");
        auto nodes = transaction.query(count_nodes);
        nodes.next();
        require(nodes->integer(0) == seen_, "there are nodes without events");
        audit_.missing = expected_.size();
        return std::move(audit_);
    } catch (const schema::Failure& failure) {
        audit_.problems.emplace_back(failure.what());
        audit_.missing = expected_.size();
        return std::move(audit_);
    }

private:
    void see(const hub::Row& row) {
        const Entry entry{row.integer(0), row.integer(1)};
        auto& last = last_[entry.stream];
        const auto text = row.text(4);
        require(entry.seq == last.seq + 1, "a seq is missing");
        require(!row.is_null(5), "an event has no node");
        require(row.get<std::optional<std::int64_t>>(6) == last.node, "a node has the wrong parent");
        require(row.get<std::uint32_t>(3) == hub::crc32c(text, last.checksum), "a checksum is wrong");
        last = {entry.seq, row.integer(2), row.get<std::uint32_t>(3)};
        ++seen_;
        if (const auto found = expected_.find(entry); found != expected_.end() && text == payload(entry))
            expected_.erase(found);
    }
    void require(bool holds, const char* problem) {
        if (!holds) audit_.problems.emplace_back(problem);
    }

    std::set<Entry> expected_;
    std::map<std::int64_t, Last> last_;
    std::int64_t seen_ = 0;
    Audit audit_;
};

}  // namespace

std::vector<storage::Migration> ledger_migrations_before() {
    return {storage::migrations().front(), {1000, "ledger", tables}};
}

std::vector<storage::Migration> ledger_migrations() {
    auto steps = ledger_migrations_before();
    steps.push_back({1001, "rebuild", rebuilt_tables});
    return steps;
}

std::string payload(const Entry& entry) {
    auto text = "event " + std::to_string(entry.stream) + ":" + std::to_string(entry.seq) + " ";
    const std::size_t length = entry.seq % 16 == 0 ? 9000 : 300;
    text.append(length - text.size(), static_cast<char>('a' + (entry.stream * 7 + entry.seq) % 26));
    return text;
}

awaitable<Entry> append(hub::Storage& storage, std::int64_t stream, hub::Room room) {
    return storage.write([stream](Transaction& transaction) { return append_to(transaction, stream); }, room);
}

awaitable<std::int64_t> count_events(hub::Storage& storage) {
    return storage.read([](Transaction& transaction) {
        auto rows = transaction.query(count_all);
        rows.next();
        return rows->integer(0);
    });
}

awaitable<Audit> audit(hub::Storage& storage, std::vector<Entry> expected) {
    auto result =
        co_await storage.read([expected = std::move(expected)](
                                  Transaction& transaction) { return Auditor(expected).run(transaction); },
                              hub::Effort::large);
    const auto report = co_await storage.check(true);
    result.problems.insert(result.problems.end(), report.problems.begin(), report.problems.end());
    co_return result;
}

}  // namespace plexus::tests
