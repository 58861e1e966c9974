// The living side of chains: who waits for the next event, and the last events at hand for many readers.
// Belongs to the loop thread.
//
// Readers pull by cursor: wait_past(seq), then read_after(seq). What they get was committed before; while a
// stream is read at its head nobody touches the store.
#pragma once

#include "activations/arbor/chain_store.hpp"
#include "hub/storage.hpp"

#include <deque>
#include <map>

namespace plexus::arbor {

struct StreamLimits {
    std::size_t ring_events = 1024;
    std::size_t ring_bytes = 1 << 20;
    std::size_t streams = 1024;  // with a ring; the one longest without an event loses it first
};

class Streams {
public:
    Streams(hub::asio::any_io_executor executor, hub::Storage& storage, StreamLimits limits = {})
        : executor_(std::move(executor)), storage_(storage), limits_(limits) {}
    Streams(const Streams&) = delete;

    // The number of the first of them, once they are durable; readers are woken.
    hub::awaitable<Seq> append(ChainId chain, std::vector<Event> events);
    // For who appends in a transaction of their own: to be called after its commit, in the order of commits.
    void published(ChainId chain, Seq first, std::vector<Event> events);

    // Up to `limit` events and, but for the first, `bytes` of payload.
    hub::awaitable<Events> read_after(ChainId chain, Seq seq, std::int64_t limit,
                                      std::int64_t bytes = 4 << 20);
    hub::awaitable<Seq> head(ChainId chain);
    // Returns when there is an event after `seq`, or when the stream is retired; throws not_found when there
    // is no such stream (any more).
    hub::awaitable<void> wait_past(ChainId chain, Seq seq);

    // The stream has got its last event: nobody needs to wait for it, and its ring can go.
    void retire(ChainId chain);
    // The stream does not exist any more.
    void forget(const std::vector<ChainId>& chains);
    std::size_t rings() const { return live_.size(); }

private:
    struct Live {
        explicit Live(const hub::asio::any_io_executor& executor) : changed(executor) {}
        hub::Signal changed;
        std::deque<EventPtr> ring;  // without gaps
        std::size_t bytes = 0;
        Seq head = 0;  // the newest known; the store may be ahead of it
        bool gone = false, retired = false;
        std::uint64_t used = 0;
    };

    std::shared_ptr<Live> live(ChainId chain);
    void remember(Live& live, EventPtr event);
    void make_room();

    hub::asio::any_io_executor executor_;
    hub::Storage& storage_;
    StreamLimits limits_;
    std::map<ChainId, std::shared_ptr<Live>> live_;
    std::uint64_t clock_ = 0;
};

}  // namespace plexus::arbor
