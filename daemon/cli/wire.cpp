#include "daemon/cli/wire.hpp"

#include "daemon/cli/exit.hpp"
#include "daemon/net/local_address.hpp"
#include "daemon/net/peer.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <unistd.h>

namespace plexus::cli {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using hub::awaitable;
using hub::use_awaitable;
using schema::Code;
using schema::Error;
using schema::Failure;

namespace {

constexpr std::size_t largest_message = 64u << 20;
constexpr auto patience = std::chrono::seconds(5);

awaitable<net::Socket> dial(Place place) {
    const auto executor = co_await asio::this_coro::executor;
    net::Socket socket(executor);
    if (!place.socket.empty()) {
        const net::LocalAddress address(place.socket);
        co_await socket.async_connect(address.endpoint(), use_awaitable);
        co_return socket;
    }
    asio::ip::tcp::resolver resolver(executor);
    const auto endpoints = co_await resolver.async_resolve(place.host, place.port, use_awaitable);
    asio::ip::tcp::socket tcp(executor);
    co_await asio::async_connect(tcp, endpoints, use_awaitable);
    tcp.set_option(asio::ip::tcp::no_delay(true));
    co_return net::Socket(std::move(tcp));
}

// The kernel knows whose a TCP connection is once the other side has accepted it: wait a moment for that.
awaitable<bool> may_see(net::Socket& socket, Token token) {
    if (token.text.empty() || token.insisted) co_return !token.text.empty();
    auto peer = net::identify_peer(socket);
    hub::asio::steady_timer pause(socket.get_executor());
    for (int tries = 0; !peer.uid && peer.loopback && tries < 50; ++tries) {
        pause.expires_after(std::chrono::milliseconds(2));
        co_await pause.async_wait(use_awaitable);
        peer = net::identify_peer(socket);
    }
    co_return peer.uid == ::geteuid() || peer.uid == 0u;
}

Error turned_away(const Place& place, unsigned status, const Token& token, bool shown) {
    if (status == 401)
        return {Code::unauthenticated, "unauthenticated",
                shown ? "The daemon at " + place.text() + " does not know the token from " + token.from
                      : "The daemon at " + place.text() + " wants a token; give it with --token"};
    if (status == 403)
        return {Code::forbidden, "forbidden", "The daemon at " + place.text() + " refuses this connection"};
    return unreachable("What listens at " + place.text() + " is no plexusd: it answered with HTTP status " +
                       std::to_string(status));
}

class WebSocketWire : public Wire {
public:
    explicit WebSocketWire(net::Socket socket) : stream_(std::move(socket)) {
        stream_.set_option(websocket::stream_base::timeout{patience, websocket::stream_base::none(), false});
        stream_.read_message_max(largest_message);
    }

    awaitable<void> open(Place place, Token token) {
        const bool shown = co_await may_see(stream_.next_layer(), token);
        stream_.set_option(websocket::stream_base::decorator([=](websocket::request_type& request) {
            request.set(beast::http::field::user_agent, "plexusctl/" PLEXUS_VERSION);
            if (shown) request.set(beast::http::field::authorization, "Bearer " + token.text);
        }));
        websocket::response_type response;
        const auto [error] = co_await stream_.async_handshake(response, place.host_header(), "/",
                                                              asio::as_tuple(use_awaitable));
        if (error == websocket::error::upgrade_declined)
            throw Failure(turned_away(place, response.result_int(), token, shown));
        if (error)
            throw Failure(unreachable("What listens at " + place.text() +
                                      " does not answer as plexusd does: " + error.message()));
    }

    awaitable<std::string> read() override {
        beast::flat_buffer buffer;
        co_await stream_.async_read(buffer, use_awaitable);
        co_return std::string(static_cast<const char*>(buffer.data().data()), buffer.size());
    }

    awaitable<void> write(std::string message) override {
        co_await stream_.async_write(asio::buffer(message), use_awaitable);
    }

    // The process is about to end; a closing handshake would only make it wait.
    void close() override {
        boost::system::error_code ignored;
        stream_.next_layer().close(ignored);
    }

private:
    websocket::stream<net::Socket> stream_;
};

}  // namespace

awaitable<std::unique_ptr<Wire>> open_wire(Place place, Token token) {
    std::unique_ptr<WebSocketWire> wire;
    try {
        wire = std::make_unique<WebSocketWire>(co_await dial(place));
    } catch (const boost::system::system_error& problem) {
        throw Failure(unreachable("Nobody listens at " + place.text() + ": " + problem.code().message()));
    }
    co_await wire->open(place, token);
    co_return wire;
}

}  // namespace plexus::cli
