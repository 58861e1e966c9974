// The items of one call, as JSON text: metadata on every one, provenance and content type of what runs.
// Carriers (WebSocket, HTTP) only say where the text goes.
#pragma once

#include "daemon/rpc/services.hpp"

namespace plexus::rpc {

namespace asio = hub::asio;
using hub::awaitable;
using schema::Json;

class Items : public hub::Outlet {
public:
    Items(const Services& services, const hub::Caller& caller);

    void adopt(const hub::Target& target) override;
    awaitable<void> send(std::string content, std::string content_type = {}) override;
    awaitable<void> progress(std::string message, std::optional<double> percentage) override;
    awaitable<Json> ask(Json question, std::chrono::milliseconds timeout) override;
    const hub::Caller& caller() const override { return caller_; }

    std::string done() const { return schema::done_item(metadata()); }
    std::string error(const schema::Error& error) const { return schema::error_item(metadata(), error); }

protected:
    // One item, to the client. Suspends while the client is behind.
    virtual awaitable<void> deliver(std::string item) = 0;

private:
    std::string metadata() const;

    const Services& services_;
    const hub::Caller& caller_;
    std::vector<std::string> provenance_;
    std::string content_type_;
    int nesting_ = 0;
    std::chrono::steady_clock::time_point opened_;
};

}  // namespace plexus::rpc
