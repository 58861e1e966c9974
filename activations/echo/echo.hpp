// Says back what it is told: the smallest thing to try a client on. Below it stand a hub and, in that, a
// wall, so that nested routing and handles owned two levels down can be tried over the wire:
//     echo.cave.wall.say {"text":"hello"}  →  a handle  →  substrate.resolve_handle
#pragma once

#include "hub/clock.hpp"
#include "hub/hub.hpp"

namespace plexus::echo {

struct EchoParams {
    std::string message;
    std::uint32_t count = 1;
    std::uint32_t interval_ms = 500;
    bool announce = false;
};
DESCRIBE(EchoParams, (message, "What to say back"), (count, "How often; 0 counts as 1", defaulted),
         (interval_ms, "Pause between two", defaulted), (announce, "Say first how many will come", defaulted))

struct OnceParams {
    std::string message;
};
DESCRIBE(OnceParams, (message, "What to say back"))

struct Echoed {
    static constexpr std::string_view tag = "echo";
    std::string message;
    std::uint32_t count = 1;
};
DESCRIBE(Echoed, (message, "What was said"), (count, "Which repetition this is, from 1"))

struct Announced {
    static constexpr std::string_view tag = "announced";
    std::uint32_t count = 1;
};
DESCRIBE(Announced, (count, "How many echoes follow"))
using EchoEvent = std::variant<Echoed, Announced>;

struct Pong {
    static constexpr std::string_view tag = "pong";
};
DESCRIBE_EMPTY(Pong)

struct Confirmed {
    static constexpr std::string_view tag = "confirmed";
    std::string message;
};
DESCRIBE(Confirmed, (message, "What was agreed to"))

struct Declined {
    static constexpr std::string_view tag = "declined";
    std::string message;
};
DESCRIBE(Declined, (message, "What was not agreed to"))

using Confirmation = std::variant<Confirmed, Declined>;

class Echo : public hub::Hub {
public:
    explicit Echo(hub::Clock& clock);

private:
    hub::awaitable<void> echo(EchoParams params, hub::Sink<EchoEvent> out);
    hub::awaitable<Echoed> once(OnceParams params);
    hub::awaitable<Pong> ping(hub::NoParams);
    hub::awaitable<void> confirm(OnceParams params, hub::Dialogue<Confirmation> out);

    hub::Clock& clock_;
};

struct SayParams {
    std::string text;
};
DESCRIBE(SayParams, (text, "What to say to the wall"))

struct Said {
    static constexpr std::string_view tag = "said";
    std::string text;
    hub::Handle handle;
};
DESCRIBE(Said, (text, "What the wall says back"), (handle, "Points at what was said"))

class Wall : public hub::Activation {
public:
    Wall();

private:
    hub::awaitable<Said> say(SayParams params);
    hub::awaitable<hub::Json> resolve_handle(hub::Handle handle) override;
};

}  // namespace plexus::echo

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::echo::Confirmation> = "Confirmation";
template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::echo::EchoEvent> = "EchoEvent";
