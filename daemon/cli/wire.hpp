// One WebSocket to a daemon. Beast stays in wire.cpp.
#pragma once

#include "daemon/cli/places.hpp"
#include "hub/async.hpp"

#include <memory>

namespace plexus::cli {

class Wire {
public:
    virtual ~Wire() = default;
    virtual hub::awaitable<std::string> read() = 0;
    virtual hub::awaitable<void> write(std::string message) = 0;
    virtual void close() = 0;  // also ends a read that waits
};

// Throws Failure: not_reachable when nobody listens there, unauthenticated or forbidden when we are turned
// away. A token that was found and not given by hand is shown only to a daemon of the same user (or root):
// anyone may listen on a free port and wait for tokens.
hub::awaitable<std::unique_ptr<Wire>> open_wire(Place place, Token token);

}  // namespace plexus::cli
