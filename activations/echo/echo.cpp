#include "activations/echo/echo.hpp"

namespace plexus::echo {

using hub::awaitable;
using hub::Json;
using hub::Scope;

namespace {

Json question(const std::string& message) {
    return {{"type", "confirm"}, {"message", message}, {"default", false}};
}

bool agreed(const Json& answer) {
    return answer.is_object() && answer.value("type", "") == "confirmed" && answer.value("value", false);
}

}  // namespace

Echo::Echo(hub::Clock& clock)
    : Hub("echo", "1.0.0", "Echo messages back, for trying out clients"), clock_(clock) {
    method("echo", "Echo a message a number of times", Scope::read, &Echo::echo);
    method("once", "Echo a message once", Scope::read, &Echo::once);
    method("ping", "Answer pong", Scope::read, &Echo::ping);
    method("confirm", "Ask the client to confirm a message", Scope::read, &Echo::confirm);
    auto& cave = Hub::add<Hub>("cave", "1.0.0", "A hub within the hub");
    cave.add<Wall>();
}

awaitable<void> Echo::echo(EchoParams params, hub::Sink<EchoEvent> out) {
    const auto times = std::max(1u, params.count);
    if (params.announce) {
        const EchoEvent announced = Announced{times};
        co_await out.send(announced);
    }
    for (std::uint32_t i = 1; i <= times; ++i) {
        if (i > 1) co_await clock_.sleep(std::chrono::milliseconds(params.interval_ms));
        const EchoEvent echoed = Echoed{params.message, i};
        co_await out.send(echoed);
    }
}

awaitable<Echoed> Echo::once(OnceParams params) { co_return Echoed{std::move(params.message), 1}; }
awaitable<Pong> Echo::ping(hub::NoParams) { co_return Pong{}; }

awaitable<void> Echo::confirm(OnceParams params, hub::Dialogue<Confirmation> out) {
    const auto answer = co_await out.ask(question(params.message));
    const Confirmation result =
        agreed(answer) ? Confirmation(Confirmed{params.message}) : Declined{params.message};
    co_await out.send(result);
}

Wall::Wall() : Activation("wall", "1.0.0", "Remembers what it was told inside the handle itself") {
    method("say", "Say something and get a handle to it", Scope::read, &Wall::say);
}

awaitable<Said> Wall::say(SayParams params) {
    auto handle = make_handle("said", {params.text});
    co_return Said{std::move(params.text), std::move(handle)};
}

awaitable<Json> Wall::resolve_handle(hub::Handle handle) {
    if (handle.method != "said" || handle.meta.size() != 1)
        throw schema::Failure(schema::failed("dangling_handle", "There is nothing behind " + handle.text()));
    const Said said{handle.meta[0], handle};
    co_return schema::encode(said);
}

}  // namespace plexus::echo
