// What every session shares.
#pragma once

#include "hub/hub.hpp"
#include "hub/ids.hpp"

namespace plexus::rpc {

struct Limits {
    std::size_t in_flight = 256;           // calls and subscriptions per connection
    std::size_t answer_bytes = 10u << 20;  // one outgoing frame
};

struct Services {
    hub::RootHub& root;
    const hub::Clock& clock;
    hub::Ids& ids;
    schema::FrameReader& reader;  // one for all: it is used up before anyone waits
    Limits limits;
};

// Subscription ids are integers below 2^53, unique in the process: what every public client can hold.
inline std::uint64_t next_subscription() {
    static std::uint64_t last = 0;
    return ++last;
}

}  // namespace plexus::rpc
