// What is not a WebSocket: POST /rpc (and /), probes, and polite refusals.
#include "daemon/net/http.hpp"

#include "daemon/rpc/post.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plexus::net {

namespace {

HttpResponse response_to(const HttpRequest& request, unsigned status, std::string type, std::string body) {
    HttpResponse response{http::status(status), request.version()};
    response.set(http::field::content_type, type);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set(http::field::cache_control, "no-store");
    response.keep_alive(request.keep_alive());
    response.body() = std::move(body);
    response.prepare_payload();
    return response;
}

awaitable<bool> put(Socket& socket, HttpResponse response) {
    const bool more = response.keep_alive();
    co_await http::async_write(socket, response, hub::use_awaitable);
    co_return more;
}

// Returns, rather than throws, when the client is gone: `||` waits for a success.
awaitable<void> wait_for_hangup(Socket& socket) {
    char byte;
    co_await socket.async_read_some(asio::buffer(&byte, 1), asio::as_tuple(hub::use_awaitable));
}

// Items as server-sent events. The response has no length: it ends when the connection does.
awaitable<void> stream_events(Socket& socket, const rpc::PostCall& call, const hub::Caller& caller,
                              const rpc::Services& services) {
    using namespace asio::experimental::awaitable_operators;
    constexpr std::string_view head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Accel-Buffering: no\r\nConnection: close\r\n\r\n";
    co_await asio::async_write(socket, asio::buffer(head), hub::use_awaitable);
    const auto deliver = [&socket](std::string item) -> awaitable<void> {
        const auto event = "data: " + item + "\n\n";
        co_await asio::async_write(socket, asio::buffer(event), hub::use_awaitable);
    };
    co_await (rpc::stream_post(call, caller, services, deliver) || wait_for_hangup(socket));
}

awaitable<bool> answer_rpc(Socket& socket, const HttpRequest& request, const hub::Caller& caller,
                           const ServerParts& parts) {
    const bool wants_events =
        request[http::field::accept].find("text/event-stream") != std::string_view::npos;
    if (wants_events) {
        auto call = rpc::streaming_call(request.body(), parts.services);
        if (call) {
            co_await stream_events(socket, *call, caller, parts.services);
            co_return false;
        }
    }
    auto text = co_await rpc::answer_post(request.body(), caller, parts.services);
    if (text.empty()) co_return co_await put(socket, response_to(request, 204, "application/json", ""));
    co_return co_await put(socket, response_to(request, 200, "application/json", std::move(text)));
}

}  // namespace

awaitable<void> refuse_http(Socket& socket, const HttpRequest& request, unsigned status) {
    auto response = response_to(
        request, status, "text/plain",
        status == 401 ? "Unauthorized" : std::string(http::obsolete_reason(http::status(status))));
    if (status == 401) response.set(http::field::www_authenticate, "Bearer realm=\"plexus\"");
    response.keep_alive(false);
    const Deadline deadline(socket, std::chrono::seconds(5));
    co_await put(socket, std::move(response));
    // Read what is still coming, or the kernel resets the connection and the refusal is lost on its way.
    boost::system::error_code error;
    socket.shutdown(Socket::shutdown_send, error);
    char rest[16 * 1024];
    while (!error)  // until the deadline
        co_await socket.async_read_some(asio::buffer(rest), asio::redirect_error(hub::use_awaitable, error));
}

awaitable<bool> answer_http(Socket& socket, const HttpRequest& request, const hub::Caller& caller,
                            const ServerParts& parts) {
    const auto target = std::string_view(request.target());
    const auto path = target.substr(0, target.find('?'));
    const bool get = request.method() == http::verb::get;
    if (path == "/healthz" && get)
        co_return co_await put(socket, response_to(request, 200, "text/plain", "ok\n"));
    if (path == "/readyz" && get) {
        const bool ready = parts.ready();
        co_return co_await put(
            socket, response_to(request, ready ? 200 : 503, "text/plain", ready ? "ready\n" : "not ready\n"));
    }
    if (path == "/" && get)
        co_return co_await put(
            socket,
            response_to(request, 200, "text/plain",
                        parts.services.root.name() + ": a Plexus hub. Speak JSON-RPC over WebSocket on this "
                                                     "port, or POST it to /rpc.\n"));
    if (path == "/rpc" || path == "/") {
        if (request.method() == http::verb::post)
            co_return co_await answer_rpc(socket, request, caller, parts);
        auto response = response_to(request, 405, "text/plain", "Method Not Allowed");
        response.set(http::field::allow, "POST");
        co_return co_await put(socket, std::move(response));
    }
    co_return co_await put(socket, response_to(request, 404, "text/plain", "Not Found"));
}

}  // namespace plexus::net
