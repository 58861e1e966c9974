// Time as a port, so that tests can jump seven days ahead. Wall time is for people and records;
// nothing is ordered or timed out by it.
#pragma once

#include "hub/async.hpp"

#include <chrono>
#include <cstdint>

namespace plexus::hub {

class Clock {
public:
    virtual ~Clock() = default;
    virtual std::chrono::system_clock::time_point now() const = 0;           // wall time
    virtual std::chrono::steady_clock::time_point steady() const = 0;        // never jumps
    virtual awaitable<void> sleep(std::chrono::steady_clock::duration) = 0;  // throws when cancelled

    std::int64_t seconds() const {
        return std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch()).count();
    }
    std::int64_t milliseconds() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(now().time_since_epoch()).count();
    }
};

}  // namespace plexus::hub
