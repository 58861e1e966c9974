// A connection to the hub: calls, the items they stream back, and answers to the hub's questions.
// Reads all the time, so pings are answered even while a person thinks. Lives on one loop thread.
#pragma once

#include "daemon/cli/wire.hpp"

#include <deque>
#include <variant>

namespace plexus::cli {

using hub::awaitable;
using schema::Json;

struct Datum {
    std::string content_type;
    Json content;
};
struct Progress {
    std::string message;
    std::optional<double> percentage;
};
struct Question {
    std::string id;
    Json request;
};
using Item = std::variant<Datum, Progress, Question>;

class Client {
public:
    // What one call streams back. Must not outlive its client.
    class Stream {
    public:
        awaitable<std::optional<Item>> next();  // nothing after the last; throws Failure if the call failed
        awaitable<void> ended();                // returns once nothing more will come

    private:
        friend Client;
        Stream(Client& client, std::uint64_t id) : client_(client), id_(id) {}
        Client& client_;
        std::uint64_t id_;
    };

    explicit Client(hub::asio::any_io_executor executor) : changed_(executor), tasks_(executor) {}
    awaitable<void> open(Place place, Token token);
    awaitable<void> close();

    // `method` is a dotted path below the hub, or one of the few names without a dot (_info).
    awaitable<Stream> call(std::string method, Json params = Json::object());
    awaitable<Json> ask(std::string method, Json params = Json::object());  // the last datum's content
    awaitable<void> respond(std::string question, Json answer);

    const Place& place() const { return place_; }
    const std::string& hub_name() const { return hub_name_; }
    const std::string& hub_version() const { return hub_version_; }

private:
    static constexpr std::size_t most_unread = 1024;  // items; then the daemon has to wait

    awaitable<Json> request(std::string method, Json params);
    awaitable<void> write(std::string message);
    awaitable<void> read_loop();
    void take(Json message);

    Place place_;
    std::string hub_name_, hub_version_;
    std::unique_ptr<Wire> wire_;
    std::uint64_t last_id_ = 0;
    std::size_t unanswered_ = 0, unread_ = 0;
    bool writing_ = false;
    std::map<std::uint64_t, Json> answers_;              // by request
    std::map<std::uint64_t, std::deque<Json>> streams_;  // by subscription
    std::optional<schema::Error> lost_;                  // why nothing more will be read
    hub::Signal changed_;
    hub::TaskGroup tasks_;
};

}  // namespace plexus::cli
