// Beast's HTTP names, for the .cpp files of this folder only: they cost seconds wherever they are seen.
#pragma once

#include "daemon/net/server.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace plexus::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

// Closes the socket unless it is disarmed in time: whatever waits on it then ends.
class Deadline {
public:
    Deadline(Socket& socket, std::chrono::milliseconds time);
    ~Deadline() { timer_.cancel(); }
    bool passed() const { return *passed_; }

private:
    asio::steady_timer timer_;
    std::shared_ptr<bool> passed_ = std::make_shared<bool>(false);
};

// One HTTP exchange that is no upgrade. Returns whether the connection can carry another.
awaitable<bool> answer_http(Socket& socket, const HttpRequest& request, const hub::Caller& caller,
                            const ServerParts& parts);
awaitable<void> refuse_http(Socket& socket, const HttpRequest& request, unsigned status);

// Runs a WebSocket session until it ends.
awaitable<void> run_websocket(Socket socket, HttpRequest request, Verdict verdict, const ServerParts& parts,
                              std::set<Watched*>& watched, std::function<void()> dismiss);

}  // namespace plexus::net
