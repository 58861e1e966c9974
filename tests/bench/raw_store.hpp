// The baseline of the store benchmark: the same rows written by a bare SQLite loop on one thread, which has
// its events at hand and nobody to answer.
#pragma once

#include "schema/uuid.hpp"

#include <memory>
#include <string>

namespace plexus::bench {

// What one append writes: a row that is event and node, and the head of its chain.
struct Event {
    schema::Uuid id;
    std::int64_t chain = 0, seq = 0, time = 0;
    std::uint32_t checksum = 0;
    std::string payload;
};

// Makes the events of any number of chains, 300 bytes of payload each.
class Feed {
public:
    Event next(std::int64_t chain);

private:
    schema::UuidV7 ids_;
    std::uint64_t made_ = 0;
    std::vector<std::int64_t> last_;
};

inline constexpr int most_chains = 64;  // as in the measurements the targets come from
inline constexpr const char* heads_table =
    "CREATE TABLE heads (chain INTEGER PRIMARY KEY, seq INTEGER NOT NULL, node BLOB NOT NULL) STRICT;";
inline constexpr const char* insert_event_sql =
    "INSERT INTO chat_events (id, chain, seq, type, created_at, checksum, payload) "
    "VALUES ($1, $2, $3, 'content_delta', $4, $5, $6)";
inline constexpr const char* move_head_sql =
    "INSERT INTO heads (chain, seq, node) VALUES ($1, $2, $3) "
    "ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, node = excluded.node";

class RawStore {
public:
    explicit RawStore(const std::string& directory);
    ~RawStore();
    // Events a second, `together` in each transaction.
    double run(int together, double seconds);

private:
    struct Connection;
    std::unique_ptr<Connection> connection_;
    Feed feed_;
};

}  // namespace plexus::bench
