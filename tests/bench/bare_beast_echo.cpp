// The baseline of `scripts/bench rpc`: Beast's plain WebSocket echo, a coroutine per connection and a write
// per message, one thread. Prints its port.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <cstdio>

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {

awaitable<void> echo(tcp::socket socket) try {
    socket.set_option(tcp::no_delay(true));
    beast::websocket::stream<beast::tcp_stream> stream(std::move(socket));
    co_await stream.async_accept(use_awaitable);
    stream.text(true);
    for (beast::flat_buffer buffer;; buffer.clear()) {
        co_await stream.async_read(buffer, use_awaitable);
        co_await stream.async_write(buffer.data(), use_awaitable);
    }
} catch (const std::exception&) {
}

awaitable<void> listen(tcp::acceptor& acceptor) {
    for (;;) {
        auto socket = co_await acceptor.async_accept(use_awaitable);
        asio::co_spawn(acceptor.get_executor(), echo(std::move(socket)), asio::detached);
    }
}

}  // namespace

int main() {
    asio::io_context loop(1);
    tcp::acceptor acceptor(loop, {asio::ip::make_address("127.0.0.1"), 0});
    std::printf("ready on ws://127.0.0.1:%u\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    asio::co_spawn(loop, listen(acceptor), asio::detached);
    loop.run();
}
