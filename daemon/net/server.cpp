#include "daemon/net/http.hpp"
#include "hub/log.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace plexus::net {

namespace log = hub::log;

namespace {

// Counts up for as long as it lives.
class Counted {
public:
    explicit Counted(std::size_t& count) : count_(&count) { ++*count_; }
    Counted(Counted&& other) : count_(std::exchange(other.count_, nullptr)) {}
    ~Counted() { release(); }
    void release() {
        if (count_) --*std::exchange(count_, nullptr);
    }

private:
    std::size_t* count_;
};

Knock knock_of(const HttpRequest& request) {
    Knock knock;
    knock.method = request.method_string();
    const auto target = std::string_view(request.target());
    const auto question = target.find('?');
    knock.path = target.substr(0, question);
    if (question != target.npos) knock.query = target.substr(question + 1);
    for (const auto& field : request) {
        if (field.name() == http::field::host) knock.hosts.emplace_back(field.value());
        if (field.name() == http::field::origin) knock.origins.emplace_back(field.value());
    }
    knock.fetch_site = request["Sec-Fetch-Site"];
    knock.authorization = request[http::field::authorization];
    knock.cookie = request[http::field::cookie];
    knock.protocols = request[http::field::sec_websocket_protocol];
    knock.content_type = request[http::field::content_type];
    knock.upgrade = request.method() == http::verb::get &&
                    http::token_list{request[http::field::connection]}.exists("upgrade") &&
                    beast::iequals(request[http::field::upgrade], "websocket");
    return knock;
}

bool is_http_route(std::string_view path) {
    return path == "/rpc" || path == "/events" || path == "/healthz" || path == "/readyz" ||
           path == "/metrics" || path == "/mcp";
}

}  // namespace

Deadline::Deadline(Socket& socket, std::chrono::milliseconds time) : timer_(socket.get_executor(), time) {
    timer_.async_wait([&socket, passed = passed_](boost::system::error_code cancelled) {
        if (cancelled) return;
        *passed = true;
        boost::system::error_code ignored;
        socket.close(ignored);
    });
}

Server::Server(asio::any_io_executor executor, ServerParts parts)
    : executor_(executor), parts_(std::move(parts)) {}

awaitable<void> Server::serve(asio::ip::tcp::acceptor acceptor) {
    return serve_until_stopped(std::move(acceptor));
}
awaitable<void> Server::serve(asio::local::stream_protocol::acceptor acceptor) {
    return serve_until_stopped(std::move(acceptor));
}

template <class Acceptor>
awaitable<void> Server::serve_until_stopped(Acceptor acceptor) {
    using namespace asio::experimental::awaitable_operators;
    hub::TaskGroup sessions(executor_);
    co_await hub::guarded(accept_all(acceptor, sessions) && watch());
    acceptor.close();
    co_await sessions.cancel_and_join();
}

template <class Acceptor>
awaitable<void> Server::accept_all(Acceptor& acceptor, hub::TaskGroup& sessions) {
    for (;;) {
        typename Acceptor::protocol_type::socket accepted(executor_);
        const auto [error] = co_await acceptor.async_accept(accepted, asio::as_tuple(hub::use_awaitable));
        if (error == asio::error::operation_aborted) co_return;
        if (error) {
            // Out of descriptors, or the peer left already: wait a moment instead of spinning.
            if (error != asio::error::connection_aborted)
                log::warn("cannot accept a connection", {{"reason", error.message()}});
            asio::steady_timer pause(executor_, std::chrono::milliseconds(50));
            co_await pause.async_wait(hub::use_awaitable);
            continue;
        }
        if constexpr (std::is_same_v<Acceptor, asio::ip::tcp::acceptor>) {
            boost::system::error_code ignored;  // Nagle and the delayed ACK together cost 40 ms a call
            accepted.set_option(asio::ip::tcp::no_delay(true), ignored);
        }
        auto socket = std::make_shared<Socket>(std::move(accepted));
        sessions.spawn([this, socket, &sessions](auto task) -> awaitable<void> {
            return welcome(std::move(*socket), [task, &sessions] { sessions.cancel(task); });
        });
    }
}

awaitable<void> Server::welcome(Socket socket, std::function<void()> dismiss) {
    if (connections_ >= parts_.limits.connections || strangers_ >= parts_.limits.strangers) {
        HttpRequest nothing;
        nothing.version(11);
        co_return co_await refuse_http(socket, nothing, 503);
    }
    const Counted connection(connections_);
    Counted stranger(strangers_);
    const auto peer = identify_peer(socket);
    beast::flat_buffer buffer;
    for (bool more = true; more;) {
        http::request_parser<http::string_body> parser;
        parser.header_limit(static_cast<std::uint32_t>(parts_.limits.header_bytes));
        parser.body_limit(parts_.limits.request_bytes);
        boost::system::error_code error;
        {
            const Deadline deadline(socket, parts_.limits.handshake);
            co_await http::async_read(socket, buffer, parser,
                                      asio::redirect_error(hub::use_awaitable, error));
        }
        if (error == http::error::header_limit) co_return co_await refuse_http(socket, parser.get(), 431);
        if (error == http::error::body_limit) co_return co_await refuse_http(socket, parser.get(), 413);
        if (error.category() == http::make_error_code(http::error::bad_value).category() &&
            error != http::error::end_of_stream && error != http::error::partial_message)
            co_return co_await refuse_http(socket, parser.get(), 400);
        if (error) co_return;

        auto request = parser.release();
        const auto knock = knock_of(request);
        auto verdict = parts_.gate.judge(knock, peer);
        if (verdict.status != 0) {
            log::info("refused", {{"peer", peer.address}, {"status", verdict.status}, {"path", knock.path}});
            co_return co_await refuse_http(socket, request, verdict.status);
        }
        if (!verdict.caller.scopes.empty()) stranger.release();
        if (knock.upgrade && !is_http_route(knock.path))
            co_return co_await run_websocket(std::move(socket), std::move(request), std::move(verdict),
                                             parts_, watched_, std::move(dismiss));
        more = co_await answer_http(socket, request, verdict.caller, parts_);
    }
}

awaitable<void> Server::watch() {
    for (auto seen = parts_.gate.credentials_generation();;) {
        asio::steady_timer pause(executor_, std::chrono::seconds(1));
        co_await pause.async_wait(hub::use_awaitable);
        const auto generation = parts_.gate.credentials_generation();
        const bool rotated = std::exchange(seen, generation) != generation;
        for (auto* one : watched_) {
            if (one->stalled_for(parts_.limits.stalled) || one->unfinished_for(parts_.limits.message))
                one->abort();
            else if (rotated && !one->credential.empty() && !parts_.gate.still_valid(one->credential))
                one->dismiss();
        }
    }
}

}  // namespace plexus::net
