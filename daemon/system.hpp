// The real clock, randomness and signals: what tests replace.
#pragma once

#include "hub/clock.hpp"
#include "hub/ids.hpp"

#include <boost/asio/io_context.hpp>

namespace plexus {

class SystemClock : public hub::Clock {
public:
    std::chrono::system_clock::time_point now() const override { return std::chrono::system_clock::now(); }
    std::chrono::steady_clock::time_point steady() const override { return std::chrono::steady_clock::now(); }
    hub::awaitable<void> sleep(std::chrono::steady_clock::duration time) override;
};

void system_random(std::span<std::uint8_t> bytes);

// SIGPIPE and SIGXFSZ would kill us where an error code is enough.
void ignore_harmless_signals();

}  // namespace plexus
