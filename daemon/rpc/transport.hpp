// A connection that carries whole text messages, seen from the session that speaks JSON-RPC over it.
// Frames are queued, not written: all that are ready leave together in one write.
#pragma once

#include "hub/async.hpp"

#include <string>
#include <string_view>

namespace plexus::rpc {

using hub::awaitable;

class Transport {
public:
    virtual ~Transport() = default;
    // The next message; valid until the next read. Throws once the peer is gone.
    virtual awaitable<std::string_view> read() = 0;
    virtual void queue(std::string_view message) = 0;
    virtual bool full() const = 0;       // more is queued than the peer's limit allows
    virtual awaitable<void> room() = 0;  // suspends while full
    virtual awaitable<void> close(unsigned short code, std::string reason) = 0;  // flushes first
};

}  // namespace plexus::rpc
