// Streams as chains: one row is event and node. Synchronous: for work inside one transaction.
//
// Events are numbered from 1 without gaps, in one range of an index; the last of them is the head. Each
// carries a checksum over everything it says, looked at on every read.
#pragma once

#include "activations/arbor/rows.hpp"

#include <memory>
#include <span>
#include <vector>

namespace plexus::arbor {

using Seq = std::int64_t;

struct NewChain {
    ChainId id{};
    TreeId tree{};
    NodeId node{};           // what it hangs under
    hub::PluginId plugin{};  // the events' handles are <plugin>@<version>::<method>:<event id>:<event type>
    std::string version = "1.0.0";
    std::string method = "chat_event";
};

struct Event {
    Seq seq = 0;  // given by append()
    NodeId id{};
    std::string type;
    std::int64_t created_at = 0;  // Unix milliseconds
    std::string payload;          // JSON text, exactly as on the wire
};
using EventPtr = std::shared_ptr<const Event>;
using Events = std::vector<EventPtr>;

struct ChainRow {
    Key key = 0;
    ChainId id{};
    Key tree = 0, node = 0;
    hub::PluginId plugin{};
    std::string version, method;
    Seconds created_at = 0;
};

// An event as a node, without its payload.
struct EventRow {
    ChainRow chain;
    Seq seq = 0;
    NodeId id{};
    std::string type;
    std::int64_t created_at = 0;
};

class ChainStore {
public:
    explicit ChainStore(hub::Transaction& transaction) : sql_(transaction) {}

    void create(const NewChain& chain, Seconds now);
    ChainRow get(ChainId id);  // throws not_found
    // The number of the first of them. What `seq` says in them is not looked at.
    Seq append(ChainId chain, std::span<const Event> events);
    Seq head(Key chain);  // 0: it has no event yet
    // Up to `limit` events and, but for the first, `bytes` of payload. Throws corrupt_event.
    Events read_after(Key chain, Seq seq, std::int64_t limit, std::int64_t bytes);

    std::optional<EventRow> find_row(NodeId id);
    std::optional<Event> find(NodeId id);  // with its payload; throws corrupt_event
    std::optional<NodeId> id_at(Key chain, Seq seq);
    // The first event of each chain that hangs under the node, oldest chain first.
    std::vector<NodeId> first_events(Key node);

private:
    hub::Transaction& sql_;
};

NodeRow as_node(const EventRow& event, std::int64_t depth);
std::string handle_meta(NodeId id, std::string_view type);  // as JSON text

}  // namespace plexus::arbor
