#include "activations/arbor/chain_store.hpp"

#include "activations/arbor/failures.hpp"
#include "activations/arbor/node_store.hpp"
#include "hub/checksum.hpp"
#include "schema/rpc.hpp"

namespace plexus::arbor {

namespace {

using hub::Statement;

#define CHAIN_COLUMNS                                                                  \
    "chains.key, chains.id, chains.tree, chains.node, chains.plugin, chains.version, " \
    "chains.method, chains.created_at"
const Statement insert_chain{"insert_chain",
                             "INSERT INTO chains (id, tree, node, plugin, version, method, created_at) "
                             "VALUES ($1, $2, $3, $4, $5, $6, $7)"};
const Statement find_chain{"find_chain", "SELECT " CHAIN_COLUMNS " FROM chains WHERE id = $1"};
const Statement find_chain_key{"find_chain_key", "SELECT key FROM chains WHERE id = $1"};
const Statement insert_event{"insert_event",
                             "INSERT INTO chat_events (id, chain, seq, type, created_at, checksum, payload) "
                             "VALUES ($1, $2, $3, $4, $5, $6, $7)"};
const Statement last_seq{"last_seq",
                         "SELECT seq FROM chat_events WHERE chain = $1 ORDER BY seq DESC LIMIT 1"};
const Statement read_events{"read_events",
                            "SELECT seq, id, type, created_at, payload, checksum FROM chat_events "
                            "WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3"};
const Statement find_event{
    "find_event", "SELECT seq, id, type, created_at, payload, checksum FROM chat_events WHERE id = $1"};
const Statement find_event_row{"find_event_row",
                               "SELECT " CHAIN_COLUMNS
                               ", chat_events.seq, chat_events.id, chat_events.type, chat_events.created_at "
                               "FROM chat_events JOIN chains ON chains.key = chat_events.chain "
                               "WHERE chat_events.id = $1"};
const Statement find_event_id{"find_event_id", "SELECT id FROM chat_events WHERE chain = $1 AND seq = $2"};
const Statement find_first_events{
    "find_first_events",
    "SELECT chat_events.id FROM chains JOIN chat_events ON chat_events.chain = chains.key "
    "AND chat_events.seq = 1 WHERE chains.node = $1 ORDER BY chains.key"};

ChainRow read_chain(const hub::Row& row) {
    return {row.integer(0),
            row.get<ChainId>(1),
            row.integer(2),
            row.integer(3),
            row.get<hub::PluginId>(4),
            row.get<std::string>(5),
            row.get<std::string>(6),
            row.integer(7)};
}

template <class T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Over all that must not change: a row that is swapped for another shows as well as a flipped bit.
std::uint32_t checksum(const Uuid& id, Seq seq, std::string_view type, std::string_view payload) {
    return hub::crc32c(payload, hub::crc32c(type, hub::crc32c(bytes_of(seq), hub::crc32c(bytes_of(id)))));
}

Event read_event(const hub::Row& row) {
    Event event{row.integer(0), row.get<NodeId>(1), row.get<std::string>(2), row.integer(3),
                row.get<std::string>(4)};
    if (checksum(event.id, event.seq, event.type, event.payload) != row.integer(5))
        throw schema::Failure(schema::failed("corrupt_event",
                                             "Event " + to_text(event.id) + " (number " +
                                                 std::to_string(event.seq) +
                                                 " of its stream) is not what was stored",
                                             {{"event_id", to_text(event.id)}, {"seq", event.seq}}));
    return event;
}

}  // namespace

void ChainStore::create(const NewChain& chain, Seconds now) {
    const auto tree = TreeStore(sql_).get_writable(chain.tree);
    const auto node = NodeStore(sql_).get(tree, chain.node);
    sql_.execute(insert_chain, chain.id, tree.key, node.key, chain.plugin, chain.version, chain.method, now);
    TreeStore(sql_).touch(tree.key, now);
}

ChainRow ChainStore::get(ChainId id) {
    auto rows = sql_.query(find_chain, id);
    if (!rows.next()) throw unknown(id);
    return read_chain(*rows);
}

Seq ChainStore::append(ChainId chain, std::span<const Event> events) {
    Key key = 0;
    {
        auto rows = sql_.query(find_chain_key, chain);
        if (!rows.next()) throw unknown(chain);
        key = rows->integer(0);
    }
    const auto first = head(key) + 1;
    for (auto seq = first; const auto& event : events) {
        sql_.execute(insert_event, event.id, key, seq, event.type, event.created_at,
                     checksum(event.id, seq, event.type, event.payload), event.payload);
        ++seq;
    }
    return first;
}

Seq ChainStore::head(Key chain) {
    auto rows = sql_.query(last_seq, chain);
    return rows.next() ? rows->integer(0) : 0;
}

Events ChainStore::read_after(Key chain, Seq seq, std::int64_t limit, std::int64_t bytes) {
    Events events;
    for (const auto& row : sql_.query(read_events, chain, seq, limit)) {
        bytes -= std::ssize(row.text(4));
        if (bytes < 0 && !events.empty()) break;
        events.push_back(std::make_shared<Event>(read_event(row)));
    }
    return events;
}

std::optional<EventRow> ChainStore::find_row(NodeId id) {
    auto rows = sql_.query(find_event_row, id);
    if (!rows.next()) return std::nullopt;
    return EventRow{read_chain(*rows), rows->integer(8), rows->get<NodeId>(9), rows->get<std::string>(10),
                    rows->integer(11)};
}

std::optional<Event> ChainStore::find(NodeId id) {
    auto rows = sql_.query(find_event, id);
    if (!rows.next()) return std::nullopt;
    return read_event(*rows);
}

std::optional<NodeId> ChainStore::id_at(Key chain, Seq seq) {
    auto rows = sql_.query(find_event_id, chain, seq);
    if (!rows.next()) return std::nullopt;
    return rows->get<NodeId>(0);
}

std::vector<NodeId> ChainStore::first_events(Key node) {
    std::vector<NodeId> ids;
    for (const auto& row : sql_.query(find_first_events, node)) ids.push_back(row.get<NodeId>(0));
    return ids;
}

NodeRow as_node(const EventRow& event, std::int64_t depth) {
    NodeRow node;
    node.id = event.id;
    node.tree = event.chain.tree;
    node.depth = depth;
    node.kind = Kind::external;
    node.ref_count = 1;
    node.created_at = event.created_at / 1000;
    return node;
}

std::string handle_meta(NodeId id, std::string_view type) {
    return "[\"" + to_text(id) + "\"," + schema::json_string(type) + "]";
}

}  // namespace plexus::arbor
