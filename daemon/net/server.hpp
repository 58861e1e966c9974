// Listens, lets each connection through the gate, and serves it: WebSocket sessions, POST /rpc, probes.
// Beast stays inside this folder's .cpp files.
#pragma once

#include "daemon/net/gate.hpp"
#include "daemon/rpc/services.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <functional>
#include <set>

namespace plexus::net {

struct NetLimits {
    std::size_t connections = 1024;
    std::size_t strangers = 256;            // connections that have shown no credential yet
    std::size_t request_bytes = 10u << 20;  // one message or HTTP body
    std::size_t header_bytes = 8u << 10;
    std::size_t queued_bytes = 1u << 20;          // waiting to be read by one client
    std::chrono::milliseconds handshake{10'000};  // from connect to a complete request
    std::chrono::milliseconds idle{40'000};       // no byte, not even a pong; pings go out at half of it
    std::chrono::milliseconds message{30'000};    // from a message's first part to its last
    std::chrono::milliseconds stalled{60'000};    // a client that does not read
};

// A connection as the server watches it.
class Watched {
public:
    virtual ~Watched() = default;
    virtual bool stalled_for(std::chrono::milliseconds limit) const = 0;     // does not read
    virtual bool unfinished_for(std::chrono::milliseconds limit) const = 0;  // does not finish a message
    virtual void abort() = 0;

    std::string credential;         // what it showed, by its digest; empty when nothing
    std::function<void()> dismiss;  // ends its streams and says goodbye
};

struct ServerParts {
    const rpc::Services& services;
    Gate& gate;
    NetLimits limits;
    std::function<bool()> ready;  // what /readyz answers
};

using hub::awaitable;

class Server {
public:
    Server(asio::any_io_executor executor, ServerParts parts);

    // Each serves until cancelled, then ends its connections within the shutdown time.
    awaitable<void> serve(asio::ip::tcp::acceptor acceptor);
    awaitable<void> serve(asio::local::stream_protocol::acceptor acceptor);

    const ServerParts& parts() const { return parts_; }
    std::size_t connections() const { return connections_; }
    // Connections count as strangers until the gate knows who they are.
    struct Stranger;

private:
    template <class Acceptor>
    awaitable<void> accept_all(Acceptor& acceptor, hub::TaskGroup& sessions);
    template <class Acceptor>
    awaitable<void> serve_until_stopped(Acceptor acceptor);
    awaitable<void> welcome(Socket socket, std::function<void()> dismiss);
    awaitable<void> watch();

    asio::any_io_executor executor_;
    ServerParts parts_;
    std::size_t connections_ = 0, strangers_ = 0;
    std::set<Watched*> watched_;
    friend struct Connection;
};

}  // namespace plexus::net
