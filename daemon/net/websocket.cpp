// WebSocket as a Transport. Beast reads, checks and answers control frames; data frames are written by
// appending their few header bytes and the text to the corked socket, which costs no copy through Beast.
#include "daemon/net/corked_socket.hpp"
#include "daemon/net/http.hpp"
#include "daemon/rpc/session.hpp"
#include "hub/log.hpp"

#include <boost/beast/websocket/stream.hpp>

namespace plexus::net {

namespace websocket = beast::websocket;

namespace {

// Header of an unmasked, unfragmented text frame (RFC 6455 §5.2).
std::string_view text_header(std::size_t size, char (&header)[10]) {
    header[0] = static_cast<char>(0x81);
    std::size_t length = 2;
    if (size < 126) {
        header[1] = static_cast<char>(size);
    } else {
        const int bytes = size <= 0xffff ? 2 : 8;
        header[1] = bytes == 2 ? 126 : 127;
        for (int i = 0; i < bytes; ++i) header[2 + i] = static_cast<char>(size >> (8 * (bytes - 1 - i)));
        length += static_cast<std::size_t>(bytes);
    }
    return {header, length};
}

class WebSocket : public rpc::Transport, public Watched {
public:
    WebSocket(Socket socket, const NetLimits& limits) : stream_(std::move(socket), limits.queued_bytes) {
        stream_.set_option(websocket::stream_base::timeout{limits.handshake, limits.idle, true});
        stream_.read_message_max(limits.request_bytes);
    }

    awaitable<void> accept(const HttpRequest& request, bool by_subprotocol) {
        if (by_subprotocol)
            stream_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
                response.set(http::field::sec_websocket_protocol, "plexus.v1");
            }));
        co_await stream_.async_accept(request, hub::use_awaitable);
        co_await stream_.next_layer().drained();
    }

    awaitable<std::string_view> read() override {
        constexpr std::size_t keep = 16 * 1024;
        if (buffer_.capacity() > keep) buffer_ = {};
        buffer_.clear();
        co_await stream_.async_read(buffer_, hub::use_awaitable);
        stream_.next_layer().input_at_hand();
        co_return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    }

    void queue(std::string_view message) override {
        char header[10];
        stream_.next_layer().append(text_header(message.size(), header), message);
    }
    bool full() const override { return stream_.next_layer().full(); }
    awaitable<void> room() override { return stream_.next_layer().room(); }

    awaitable<void> close(unsigned short code, std::string reason) override {
        Deadline patience(stream_.next_layer().socket(), std::chrono::seconds(2));
        co_await stream_.next_layer().drained();
        co_await stream_.async_close({websocket::close_code(code), reason}, hub::use_awaitable);
        co_await stream_.next_layer().drained();
    }

    bool stalled_for(std::chrono::milliseconds limit) const override {
        return stream_.next_layer().stalled(std::chrono::steady_clock::now()) > limit;
    }
    void abort() override {
        boost::system::error_code ignored;
        stream_.next_layer().socket().close(ignored);
    }

private:
    websocket::stream<CorkedSocket, false> stream_;  // false: no compression, which frees 300 bytes and CPU
    beast::flat_buffer buffer_;
};

}  // namespace

awaitable<void> run_websocket(Socket socket, HttpRequest request, Verdict verdict, const ServerParts& parts,
                              std::set<Watched*>& watched) {
    WebSocket transport(std::move(socket), parts.limits);
    co_await transport.accept(request, verdict.by_subprotocol);
    struct Entry {
        std::set<Watched*>& set;
        Watched* self;
        ~Entry() { set.erase(self); }
    } const entry{watched, *watched.insert(&transport).first};

    hub::log::info("session opened", {{"peer", verdict.caller.peer}, {"caller", verdict.caller.name}});
    rpc::Session session(co_await asio::this_coro::executor, parts.services, transport, verdict.caller);
    co_await session.run();
    hub::log::info("session closed", {{"peer", verdict.caller.peer}});
}

}  // namespace plexus::net
