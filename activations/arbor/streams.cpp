#include "activations/arbor/streams.hpp"

#include "activations/arbor/failures.hpp"

#include <algorithm>

namespace plexus::arbor {

using hub::awaitable;
using hub::Transaction;

awaitable<Seq> Streams::append(ChainId chain, std::vector<Event> events) {
    const auto shared = std::make_shared<std::vector<Event>>(std::move(events));
    const auto first = co_await storage_.write(
        [chain, shared](Transaction& transaction) { return ChainStore(transaction).append(chain, *shared); });
    published(chain, first, std::move(*shared));
    co_return first;
}

void Streams::published(ChainId chain, Seq first, std::vector<Event> events) {
    if (events.empty()) return;
    const auto stream = live(chain);
    for (auto& event : events) {
        event.seq = first++;
        remember(*stream, std::make_shared<const Event>(std::move(event)));
    }
    stream->changed.notify();
}

// Commits may be told out of order; then the ring starts anew, and the store has what it lacks.
void Streams::remember(Live& live, EventPtr event) {
    if (event->seq <= live.head) return;
    if (event->seq != live.head + 1 || live.ring.empty()) {
        live.ring.clear();
        live.bytes = 0;
    }
    live.head = event->seq;
    live.bytes += event->payload.size();
    live.ring.push_back(std::move(event));
    while (live.ring.size() > limits_.ring_events ||
           (live.bytes > limits_.ring_bytes && live.ring.size() > 1)) {
        live.bytes -= live.ring.front()->payload.size();
        live.ring.pop_front();
    }
}

awaitable<Events> Streams::read_after(ChainId chain, Seq seq, std::int64_t limit, std::int64_t bytes) {
    if (const auto found = live_.find(chain); found != live_.end()) {
        const auto& ring = found->second->ring;
        if (!ring.empty() && ring.front()->seq <= seq + 1) {
            Events events;
            for (auto i = seq + 1 - ring.front()->seq; i < std::ssize(ring) && std::ssize(events) < limit;
                 ++i) {
                const auto& event = ring[static_cast<std::size_t>(i)];
                bytes -= std::ssize(event->payload);
                if (bytes < 0 && !events.empty()) break;
                events.push_back(event);
            }
            co_return events;
        }
    }
    co_return co_await storage_.read([=](Transaction& transaction) {
        ChainStore chains(transaction);
        return chains.read_after(chains.get(chain).key, seq, limit, bytes);
    });
}

awaitable<Seq> Streams::head(ChainId chain) {
    if (const auto found = live_.find(chain); found != live_.end() && !found->second->ring.empty())
        co_return found->second->head;
    co_return co_await storage_.read([=](Transaction& transaction) {
        ChainStore chains(transaction);
        return chains.head(chains.get(chain).key);
    });
}

awaitable<void> Streams::wait_past(ChainId chain, Seq seq) {
    const auto stream =
        live(chain);  // from here on we hear of every commit, so the look at the store misses none
    if (stream->ring.empty()) {
        const auto stored = co_await head(chain);
        stream->head = std::max(stream->head, stored);
    }
    while (stream->head <= seq && !stream->gone && !stream->retired) co_await stream->changed.wait();
    if (stream->gone) throw unknown(chain);
}

void Streams::retire(ChainId chain) {
    const auto found = live_.find(chain);
    if (found == live_.end()) return;
    found->second->retired = true;
    found->second->changed.notify();
    live_.erase(found);
}

void Streams::forget(const std::vector<ChainId>& chains) {
    for (const auto& chain : chains) {
        const auto found = live_.find(chain);
        if (found == live_.end()) continue;
        found->second->gone = true;
        found->second->changed.notify();
        live_.erase(found);
    }
}

std::shared_ptr<Streams::Live> Streams::live(ChainId chain) {
    auto& stream = live_[chain];
    if (!stream) {
        stream = std::make_shared<Live>(executor_);
        const auto kept = stream;
        kept->used = ++clock_;
        make_room();
        return kept;
    }
    stream->used = ++clock_;
    return stream;
}

// A stream that somebody waits for stays: its waiters would not hear of the next event.
void Streams::make_room() {
    while (live_.size() > limits_.streams) {
        auto oldest = live_.end();
        for (auto i = live_.begin(); i != live_.end(); ++i)
            if (i->second.use_count() == 1 &&
                (oldest == live_.end() || i->second->used < oldest->second->used))
                oldest = i;
        if (oldest == live_.end()) return;
        live_.erase(oldest);
    }
}

}  // namespace plexus::arbor
