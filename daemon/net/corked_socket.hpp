// A socket (TCP or unix) whose writes are gathered: everything that became ready while the last write was
// under way, or while buffered requests are being worked off, leaves in one write. One write per frame is
// what costs; gathering is worth a factor of three.
//
// It is the lower layer of a Beast WebSocket stream. Each write Beast makes is a whole control frame, and
// data frames are appended whole by append(), so the two never interleave within a frame.
#pragma once

#include "daemon/net/socket.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>

#include <memory>
#include <string>

namespace plexus::net {

class CorkedSocket {
public:
    using executor_type = Socket::executor_type;
    using Error = boost::system::error_code;

    CorkedSocket(Socket socket, std::size_t limit)
        : state_(std::make_shared<State>(std::move(socket), limit)) {}

    executor_type get_executor() { return state_->socket.get_executor(); }
    Socket& socket() { return state_->socket; }

    void append(std::string_view head, std::string_view body) { state_->append(head, body); }
    bool full() const { return state_->queued() > state_->limit; }
    // Between these two, frames are held back: there is more input to answer first.
    void input_at_hand() { state_->waiting_for_input = false; }
    void flush() { state_->schedule(); }
    std::chrono::steady_clock::duration stalled(std::chrono::steady_clock::time_point now) const {
        return state_->writing ? now - state_->progress : std::chrono::steady_clock::duration(0);
    }

    hub::awaitable<void> room() {
        const auto state = state_;
        while (state->queued() > state->limit && !state->broken) {
            state->schedule();
            co_await state->moved.wait();
        }
    }
    hub::awaitable<void> drained() {
        const auto state = state_;
        while (state->queued() > 0 && !state->broken) {
            state->schedule();
            co_await state->moved.wait();
        }
    }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        state_->waiting_for_input = true;
        state_->schedule();
        return state_->socket.async_read_some(buffers, std::forward<Token>(token));
    }

    // Takes everything at once. While too much is queued the completion waits: Beast then stops reading,
    // so a peer that floods us with pings and never reads is not read either.
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return asio::async_initiate<Token, void(Error, std::size_t)>(
            [state = state_]<class Handler>(Handler handler, const Buffers& given) {
                const auto size = asio::buffer_size(given);
                std::string bytes(size, '\0');
                asio::buffer_copy(asio::buffer(bytes), given);
                state->append(bytes, {});
                const auto executor = asio::get_associated_executor(handler, state->socket.get_executor());
                auto finish = [handler = std::move(handler), state, size](auto...) mutable {
                    std::move(handler)(state->broken, size);
                };
                if (state->queued() > state->limit)
                    state->moved.async_wait(asio::bind_executor(executor, std::move(finish)));
                else asio::post(executor, asio::bind_executor(executor, std::move(finish)));
            },
            token, buffers);
    }

private:
    struct Moved : hub::Signal {
        using Signal::Signal;
        template <class Handler>
        void async_wait(Handler handler) {
            timer().async_wait(std::move(handler));
        }
    };

    struct State : std::enable_shared_from_this<State> {
        State(Socket s, std::size_t l) : socket(std::move(s)), limit(l), moved(socket.get_executor()) {}

        std::size_t queued() const { return pending.size() + flying.size(); }

        void append(std::string_view head, std::string_view body) {
            if (closed) return;  // nothing may follow a close frame
            constexpr unsigned char close_frame = 0x88;
            closed = !head.empty() && static_cast<unsigned char>(head[0]) == close_frame;
            pending += head;
            pending += body;
            if (waiting_for_input) schedule();
        }

        void schedule() {
            if (scheduled || writing || pending.empty() || broken) return;
            scheduled = true;
            asio::post(socket.get_executor(), [self = shared_from_this()] { self->write(); });
        }

        void write() {
            scheduled = false;
            if (writing || pending.empty() || broken) return;
            writing = true;
            progress = std::chrono::steady_clock::now();
            flying.swap(pending);
            write_rest(0);
        }

        void write_rest(std::size_t from) {
            socket.async_write_some(asio::buffer(flying) + from,
                                    [self = shared_from_this(), from](Error error, std::size_t written) {
                                        self->wrote(error, from + written);
                                    });
        }

        void wrote(Error error, std::size_t done) {
            progress = std::chrono::steady_clock::now();
            if (!error && done < flying.size()) return write_rest(done);
            writing = false;
            broken = error;
            // Memory of a burst is given back: most connections are idle most of the time.
            constexpr std::size_t keep = 16 * 1024;
            if (flying.capacity() > keep) std::string().swap(flying);
            else flying.clear();
            moved.notify();
            schedule();
        }

        Socket socket;
        std::size_t limit;
        std::string pending, flying;
        bool waiting_for_input = false, scheduled = false, writing = false, closed = false;
        Error broken;
        std::chrono::steady_clock::time_point progress;
        Moved moved;
    };

    std::shared_ptr<State> state_;
};

// Beast ends a WebSocket by these, found by argument-dependent look-up.
inline void beast_close_socket(CorkedSocket& stream) {
    boost::system::error_code ignored;
    stream.socket().close(ignored);
}

inline void teardown(boost::beast::role_type, CorkedSocket& stream, boost::system::error_code& error) {
    stream.socket().close(error);
}

template <class Handler>
void async_teardown(boost::beast::role_type, CorkedSocket& stream, Handler&& handler) {
    stream.flush();
    boost::system::error_code error;
    stream.socket().shutdown(Socket::shutdown_receive, error);
    asio::post(stream.get_executor(),
               asio::append(std::forward<Handler>(handler), boost::system::error_code()));
}

}  // namespace plexus::net
