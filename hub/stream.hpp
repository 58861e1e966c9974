// Where a method's items go, and what it can ask of the client on the other side.
#pragma once

#include "hub/async.hpp"
#include "hub/caller.hpp"
#include "schema/codec.hpp"
#include "schema/rpc.hpp"

#include <chrono>

namespace plexus::hub {

using schema::Json;

struct Target;

// send() suspends while the reader is behind: that is the back pressure.
class Outlet {
public:
    virtual ~Outlet() = default;
    // From here on the items are this target's: its provenance and content type. Refuses endless nesting.
    virtual void adopt(const Target& target) = 0;
    // `content` is JSON text. An empty content_type means the method's own.
    virtual awaitable<void> send(std::string content, std::string content_type = {}) = 0;
    virtual awaitable<void> progress(std::string message, std::optional<double> percentage) = 0;
    // Puts a question to the client and waits for its answer (`<hub>.respond`); throws `timeout` or
    // `cancelled`.
    virtual awaitable<Json> ask(Json question, std::chrono::milliseconds timeout) = 0;
    virtual const Caller& caller() const = 0;
};

template <class Event>
class Sink {
public:
    explicit Sink(Outlet& outlet) : outlet_(&outlet) {}
    awaitable<void> send(const Event& event) {
        return outlet_->send(schema::to_json_text(schema::encode(event)));
    }
    // For events whose exact JSON text is at hand already.
    awaitable<void> send_text(std::string text) { return outlet_->send(std::move(text)); }
    awaitable<void> progress(std::string message, std::optional<double> percentage = {}) {
        return outlet_->progress(std::move(message), percentage);
    }
    const Caller& caller() const { return outlet_->caller(); }

protected:
    Outlet* outlet_;
};

// A sink that may also ask. A method that takes one is announced as bidirectional.
template <class Event>
class Dialogue : public Sink<Event> {
public:
    using Sink<Event>::Sink;
    awaitable<Json> ask(Json question, std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
        return this->outlet_->ask(std::move(question), timeout);
    }
};

}  // namespace plexus::hub
