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
        const auto [error] = co_await stream_.async_accept(request, asio::as_tuple(hub::use_awaitable));
        co_await stream_.next_layer().drained();  // also when it was a refusal
        if (error) throw boost::system::system_error(error);
    }

    awaitable<std::string_view> read() override {
        constexpr std::size_t keep = 16 * 1024;
        if (buffer_.capacity() > keep) buffer_ = {};
        buffer_.clear();
        for (int pieces = 0; co_await read_piece() == false; ++pieces)
            if (pieces == 0) message_began_ = std::chrono::steady_clock::now();
        message_began_.reset();
        stream_.next_layer().input_at_hand();
        co_return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    }

    void queue(std::string_view message) override {
        char header[10];
        stream_.next_layer().append(text_header(message.size(), header), message);
    }
    bool full() const override { return stream_.next_layer().full(); }
    awaitable<void> room() override { return stream_.next_layer().room(); }

    // By hand: Beast refuses to close a stream whose read was cancelled, and that is how sessions are ended.
    awaitable<void> close(unsigned short code, std::string reason) override {
        auto& socket = stream_.next_layer().socket();
        const Deadline patience(socket, std::chrono::seconds(2));
        const std::string body{static_cast<char>(code >> 8), static_cast<char>(code & 255)};
        const std::string head{static_cast<char>(0x88), static_cast<char>(body.size() + reason.size())};
        stream_.next_layer().append(head, body + reason);
        co_await stream_.next_layer().drained();
        boost::system::error_code error;
        socket.shutdown(Socket::shutdown_send, error);
        char rest[4096];
        while (!error)
            co_await socket.async_read_some(asio::buffer(rest),
                                            asio::redirect_error(hub::use_awaitable, error));
    }

    bool stalled_for(std::chrono::milliseconds limit) const override {
        return stream_.next_layer().stalled(std::chrono::steady_clock::now()) > limit;
    }
    bool unfinished_for(std::chrono::milliseconds limit) const override {
        return message_began_ && std::chrono::steady_clock::now() - *message_began_ > limit;
    }
    void abort() override {
        boost::system::error_code ignored;
        stream_.next_layer().socket().close(ignored);
    }

private:
    // A part of a message; true when it was the last. Endless crumbs are an attack, not a message.
    awaitable<bool> read_piece() {
        constexpr std::size_t crumb = 64;
        constexpr int most_crumbs = 4096;
        const auto size = co_await stream_.async_read_some(buffer_, 64 * 1024, hub::use_awaitable);
        const bool last = stream_.is_message_done();
        crumbs_ = last ? 0 : crumbs_ + (size < crumb ? 1 : 0);
        if (crumbs_ > most_crumbs) {
            co_await close(1009, "too many fragments");
            throw boost::system::system_error(websocket::error::message_too_big);
        }
        co_return last;
    }

    websocket::stream<CorkedSocket, false> stream_;  // false: no compression, which frees 300 bytes and CPU
    beast::flat_buffer buffer_;
    std::optional<std::chrono::steady_clock::time_point> message_began_;
    int crumbs_ = 0;
};

}  // namespace

awaitable<void> run_websocket(Socket socket, HttpRequest request, Verdict verdict, const ServerParts& parts,
                              std::set<Watched*>& watched, std::function<void()> dismiss) {
    WebSocket transport(std::move(socket), parts.limits);
    transport.credential = verdict.caller.credential;
    transport.dismiss = std::move(dismiss);
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
