#include "daemon/rpc/session.hpp"

#include "daemon/rpc/items.hpp"
#include "hub/log.hpp"
#include "hub/openrpc.hpp"

namespace plexus::rpc {

namespace log = hub::log;
using schema::Code;
using schema::Error;
using schema::Json;
using schema::Request;

namespace {

constexpr unsigned short service_restart = 1012;

std::optional<Error> lacking(const hub::Caller& caller, hub::Scope scope) try {
    hub::require(caller, scope);
    return std::nullopt;
} catch (const schema::Failure& failure) {
    return failure.error();
}

// Accepts [id] and {"subscription": id}.
std::optional<std::uint64_t> subscription_in(const Json& params) {
    const Json* id = nullptr;
    if (params.is_array() && params.size() == 1) id = &params[0];
    if (params.is_object() && params.contains("subscription")) id = &params["subscription"];
    if (id && id->is_array() && id->size() == 1) id = &(*id)[0];
    return id && id->is_number_unsigned() ? std::optional(id->get<std::uint64_t>()) : std::nullopt;
}

}  // namespace

// Items of one call become notifications of its subscription.
class Session::Reply : public Items {
public:
    Reply(Session& session, std::uint64_t subscription)
        : Items(session.services_, session.caller_), session_(session), id_(std::to_string(subscription)) {}

    void put(std::string_view item) { session_.transport_.queue(schema::notice(id_, item)); }

protected:
    awaitable<void> deliver(std::string item) override {
        put(item);
        if (session_.transport_.full()) co_await session_.transport_.room();
    }

private:
    Session& session_;
    std::string id_;
};

Session::Session(hub::asio::any_io_executor executor, const Services& services, Transport& transport,
                 hub::Caller caller)
    : services_(services), transport_(transport), caller_(std::move(caller)), calls_(executor) {}

awaitable<void> Session::run() {
    const auto outcome = co_await hub::guarded(read_loop());
    const bool shutdown = !outcome && outcome.error().reason == "cancelled";
    if (shutdown)
        co_await end_streams({Code::failed, "shutting_down",
                              "The hub is shutting down; reconnect in a moment", nullptr, true});
    closing_ = true;
    co_await calls_.cancel_and_join();
    if (shutdown) co_await hub::guarded(transport_.close(service_restart, "shutting down"));
}

awaitable<void> Session::read_loop() {
    for (;;) {
        take(co_await transport_.read());
        // Answers count against the client's own queue: one that asks and never reads is not read either.
        if (transport_.full()) co_await transport_.room();
    }
}

void Session::take(std::string_view text) {
    auto frame = services_.reader.read(text);
    std::string responses;
    std::vector<Begun> begun;
    for (auto& incoming : frame.requests) begun.push_back(begin(std::move(incoming)));
    for (const auto& one : begun) {
        if (one.response.empty()) continue;
        responses += (responses.empty() ? (frame.batch ? "[" : "") : ",") + one.response;
    }
    if (!responses.empty()) transport_.queue(frame.batch ? responses + "]" : responses);
    // Streams start after the response that names them is on its way.
    for (auto& one : begun) {
        if (!one.afterwards.empty()) transport_.queue(one.afterwards);
        if (one.call) start(std::move(*one.call));
    }
}

Session::Begun Session::begin(schema::Incoming incoming) {
    if (auto* refused = std::get_if<schema::Refused>(&incoming))
        return {schema::refusal(refused->id, refused->error), {}, {}};
    return begin(std::move(std::get<Request>(incoming)));
}

Session::Begun Session::begin(Request request) {
    auto meaning = meaning_of(request.method, services_.root);
    const bool notification = request.id.empty();
    const auto refuse = [&](const Error& error) {
        return notification ? Begun{} : Begun{schema::refusal(request.id, error), {}, {}};
    };
    using Kind = Meaning::Kind;
    if (meaning.kind == Kind::unknown)
        return refuse({Code::method_not_found, "method_not_found", "Method not found",
                       Json{{"method", schema::clipped(request.method)}}});
    if (meaning.kind != Kind::stream) {
        // Whoever is known may end what is theirs.
        if (meaning.kind == Kind::unsubscribe && !caller_.scopes.empty()) return unsubscribe(request);
        if (const auto missing = lacking(caller_, hub::Scope::read)) return refuse(*missing);
        if (meaning.kind == Kind::respond) return respond(request);
        return notification
                   ? Begun{}
                   : Begun{schema::answer(request.id, schema::to_json_text(hub::openrpc(services_.root))),
                           {},
                           {}};
    }
    if (notification) return {};  // a stream nobody could follow
    if (subscriptions_.size() >= services_.limits.in_flight)
        return refuse(schema::overloaded("Server overloaded; retry later: this connection has " +
                                             std::to_string(subscriptions_.size()) + " calls in flight",
                                         {{"limit", services_.limits.in_flight}}));
    const auto subscription = next_subscription();
    return {schema::answer(request.id, std::to_string(subscription)),
            Call{std::move(meaning.path), std::move(request.params), subscription},
            {}};
}

// Answers twice: synapse takes the result for a subscription id and waits for a `done` on it.
Session::Begun Session::respond(const Request& request) {
    static constexpr std::string_view success = R"({"success":true})";
    const auto id = request.params.is_object() ? request.params.value("request_id", Json()) : Json();
    try {
        services_.root.questions().answer(
            id.is_string() ? id.get<std::string>() : "",
            request.params.is_object() ? request.params.value("response_data", Json()) : Json());
    } catch (const schema::Failure& failure) {
        return request.id.empty() ? Begun{} : Begun{schema::refusal(request.id, failure.error()), {}, {}};
    }
    if (request.id.empty()) return {};
    const Reply reply(*this, 0);
    return {schema::answer(request.id, success), {}, schema::notice(success, reply.done())};
}

Session::Begun Session::unsubscribe(const Request& request) {
    const auto id = subscription_in(request.params);
    if (!id)
        return request.id.empty()
                   ? Begun{}
                   : Begun{schema::refusal(request.id, schema::invalid_params("expected [subscription id]")),
                           {},
                           {}};
    const auto found = subscriptions_.find(*id);
    const bool live = found != subscriptions_.end();
    if (live) {
        const auto task = found->second;
        subscriptions_.erase(found);  // from here on serve() stays silent
        calls_.cancel(task);
    }
    return request.id.empty() ? Begun{} : Begun{schema::answer(request.id, live ? "true" : "false"), {}, {}};
}

void Session::start(Call call) {
    calls_.spawn([this, call = std::move(call)](auto task) mutable {
        subscriptions_.emplace(call.subscription, task);
        return serve(std::move(call));
    });
}

awaitable<void> Session::serve(Call call) {
    Reply reply(*this, call.subscription);
    const auto started = services_.clock.steady();
    const auto outcome =
        co_await hub::guarded(services_.root.invoke(call.path, std::move(call.params), reply));
    if (!outcome && outcome.error().reason == "internal")
        log::error("call failed", {{"method", call.path}, {"reason", outcome.error().message}});
    if (log::enabled(log::Level::debug))
        log::debug("call", {{"method", call.path},
                            {"caller", caller_.name},
                            {"outcome", outcome ? "done" : outcome.error().reason},
                            {"us", (services_.clock.steady() - started) / std::chrono::microseconds(1)}});
    if (closing_ || subscriptions_.erase(call.subscription) == 0) co_return;  // nobody listens any more
    reply.put(outcome ? reply.done() : reply.error(outcome.error()));
}

awaitable<void> Session::end_streams(Error error) {
    for (const auto& [id, _] : std::exchange(subscriptions_, {})) {
        Reply reply(*this, id);
        reply.put(reply.error(error));
    }
    co_return;
}

}  // namespace plexus::rpc
