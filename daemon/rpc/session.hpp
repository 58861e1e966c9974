// One client over a message transport: reads JSON-RPC frames, runs each call as a task, and answers through
// the transport's queue. Every call is a subscription; unsubscribing or hanging up cancels it.
#pragma once

#include "daemon/rpc/names.hpp"
#include "daemon/rpc/services.hpp"
#include "daemon/rpc/transport.hpp"

namespace plexus::rpc {

class Session {
public:
    Session(hub::asio::any_io_executor executor, const Services& services, Transport& transport,
            hub::Caller caller);

    // Ends when the peer is gone. Cancelled (shutdown), it ends every open stream with an `error` item first.
    awaitable<void> run();

private:
    class Reply;
    struct Call {
        std::string path;
        schema::Json params;
        std::uint64_t subscription = 0;
    };
    // What a request leads to at once: the text of its response, and perhaps a stream to run afterwards.
    struct Begun {
        std::string response;
        std::optional<Call> call;
        std::string afterwards;  // a second frame that belongs to the response
    };

    awaitable<void> read_loop();
    void take(std::string_view text);
    Begun begin(schema::Incoming incoming);
    Begun begin(schema::Request request);
    Begun respond(const schema::Request& request);
    Begun unsubscribe(const schema::Request& request);
    void start(Call call);
    awaitable<void> serve(Call call);
    awaitable<void> end_streams(schema::Error error);

    const Services& services_;
    Transport& transport_;
    hub::Caller caller_;
    std::map<std::uint64_t, hub::TaskGroup::Task> subscriptions_;
    bool closing_ = false;
    hub::TaskGroup calls_;  // last: its tasks use everything above
};

}  // namespace plexus::rpc
