// What the storage tests write: streams whose every event is a row, a node in a chain and a moved head, in
// one transaction; and how they tell afterwards whether a store still keeps its promises.
#pragma once

#include "daemon/storage/migrate.hpp"
#include "hub/storage.hpp"

#include <vector>

namespace plexus::tests {

using hub::awaitable;

// The tables, and a later version of them that is made from their rows.
std::vector<storage::Migration> ledger_migrations();
std::vector<storage::Migration> ledger_migrations_before();

struct Entry {
    std::int64_t stream = 0;
    std::int64_t seq = 0;
    auto operator<=>(const Entry&) const = default;
};

// 300 bytes, at times several pages; the same for the same entry.
std::string payload(const Entry& entry);

// Answers which entry it has become.
awaitable<Entry> append(hub::Storage& storage, std::int64_t stream, hub::Room room = hub::Room::ordinary);
awaitable<std::int64_t> count_events(hub::Storage& storage);

struct Audit {
    std::vector<std::string> problems;  // rules of the ledger that do not hold, and what check() says
    std::size_t missing = 0;            // of the entries asked for: not there, or with another payload
    bool sound() const { return problems.empty() && missing == 0; }
};
awaitable<Audit> audit(hub::Storage& storage, std::vector<Entry> expected);

}  // namespace plexus::tests
