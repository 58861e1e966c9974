// `_debug.*`: streams of known shape, by which public validators check a server. Off unless asked for.
#pragma once

#include "hub/activation.hpp"
#include "hub/clock.hpp"

namespace plexus::debug {

struct Probe {
    static constexpr std::string_view tag = "debug";
    std::uint32_t index = 0;
    std::string text;
};
DESCRIBE(Probe, (index, "From 0"), (text, "Filling"))

struct StreamParams {
    std::string scenario = "many";
};
DESCRIBE(StreamParams, (scenario, "slow, large, many or progress", defaulted))

struct ErrorParams {
    std::string error_type = "immediate";
};
DESCRIBE(ErrorParams, (error_type, "immediate, after_data or recoverable", defaulted))

class Debug : public hub::Activation {
public:
    explicit Debug(hub::Clock& clock);

private:
    hub::awaitable<void> protocol_test(hub::NoParams, hub::Sink<Probe> out);
    hub::awaitable<void> stream_test(StreamParams params, hub::Sink<Probe> out);
    hub::awaitable<void> error_test(ErrorParams params, hub::Sink<Probe> out);
    hub::awaitable<void> metadata_test(hub::Outlet& outlet);

    hub::Clock& clock_;
};

}  // namespace plexus::debug
