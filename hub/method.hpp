// A method as the hub sees it: a name, what it needs, its JSON Schemas, and a way to run it.
// make_method() derives all of that from a member function's signature.
#pragma once

#include "hub/stream.hpp"

#include <functional>
#include <span>

namespace plexus::hub {

struct Method {
    std::string name;
    std::string about;
    Scope scope = Scope::admin;
    bool streaming = false;
    bool bidirectional = false;
    Json params = nullptr;   // JSON Schema of the parameter object; null when there are none
    Json returns = nullptr;  // JSON Schema of one datum
    std::span<const schema::Field> fields;
    std::string content_type;  // `<namespace>.<name>` unless said otherwise
    Json role = nullptr;       // only for gates
    std::string hash;          // filled in when the method is added
    std::function<awaitable<void>(Json params, Outlet& outlet)> run;
};

// What clients may send in place of the parameter object (null, positional array, the bare value)
// brought into the one form that decode() reads.
schema::Result<Json> by_name(Json given, std::span<const schema::Field> fields);

template <class Params>
Params decoded(Json given) {
    const auto fields = describe(std::type_identity<Params>{}).fields;
    return schema::decode<Params>(by_name(std::move(given), fields).value()).value();
}

template <class F>
struct Signature;

// A plain method: one datum.
template <class S, class Params, class Returns>
struct Signature<awaitable<Returns> (S::*)(Params)> {
    using Self = S;
    using Given = Params;
    using Datum = Returns;
    static constexpr bool streaming = false, bidirectional = false;
    static awaitable<void> run(Self* self, awaitable<Returns> (S::*call)(Params), Json params,
                               Outlet& outlet) {
        const Returns result = co_await (self->*call)(decoded<Params>(std::move(params)));
        co_await outlet.send(schema::to_json_text(schema::encode(result)));
    }
};

// A plain method that wants to know who calls.
template <class S, class Params, class Returns>
struct Signature<awaitable<Returns> (S::*)(Params, Caller)> {
    using Self = S;
    using Given = Params;
    using Datum = Returns;
    static constexpr bool streaming = false, bidirectional = false;
    static awaitable<void> run(Self* self, awaitable<Returns> (S::*call)(Params, Caller), Json params,
                               Outlet& outlet) {
        const Returns result = co_await (self->*call)(decoded<Params>(std::move(params)), outlet.caller());
        co_await outlet.send(schema::to_json_text(schema::encode(result)));
    }
};

// A stream of events.
template <class S, class Params, class Event>
struct Signature<awaitable<void> (S::*)(Params, Sink<Event>)> {
    using Self = S;
    using Given = Params;
    using Datum = Event;
    static constexpr bool streaming = true, bidirectional = false;
    static awaitable<void> run(Self* self, awaitable<void> (S::*call)(Params, Sink<Event>), Json params,
                               Outlet& outlet) {
        co_await (self->*call)(decoded<Params>(std::move(params)), Sink<Event>(outlet));
    }
};

// A stream of events that may ask the client something.
template <class S, class Params, class Event>
struct Signature<awaitable<void> (S::*)(Params, Dialogue<Event>)> {
    using Self = S;
    using Given = Params;
    using Datum = Event;
    static constexpr bool streaming = true, bidirectional = true;
    static awaitable<void> run(Self* self, awaitable<void> (S::*call)(Params, Dialogue<Event>), Json params,
                               Outlet& outlet) {
        co_await (self->*call)(decoded<Params>(std::move(params)), Dialogue<Event>(outlet));
    }
};

// For methods without parameters.
struct NoParams {};
DESCRIBE_EMPTY(NoParams)

template <class F>
Method make_method(typename Signature<F>::Self* self, std::string name, std::string about, Scope scope,
                   F call) {
    using Shape = Signature<F>;
    using Given = typename Shape::Given;
    Method made;
    made.name = std::move(name);
    made.about = std::move(about);
    made.scope = scope;
    made.streaming = Shape::streaming;
    made.bidirectional = Shape::bidirectional;
    made.fields = describe(std::type_identity<Given>{}).fields;
    if (!made.fields.empty()) made.params = schema::json_schema<Given>();
    made.returns = schema::json_schema<typename Shape::Datum>();
    made.run = [self, call](Json params, Outlet& outlet) {
        return Shape::run(self, call, std::move(params), outlet);
    };
    return made;
}

}  // namespace plexus::hub
