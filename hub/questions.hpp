// Questions put to clients and not yet answered. Known to the whole hub, not to one connection:
// some clients answer on another connection, or from another process.
#pragma once

#include "hub/async.hpp"
#include "schema/error.hpp"

#include <map>
#include <memory>

namespace plexus::hub {

using schema::Json;

class Questions {
public:
    // Waits for the answer to a question that was put under this id.
    awaitable<Json> await_answer(std::string id, std::chrono::milliseconds timeout);
    // Throws Failure when nobody waits for it (any more).
    void answer(const std::string& id, Json data);

private:
    struct Waiting {
        asio::steady_timer deadline;
        std::optional<Json> answer;
    };
    std::map<std::string, std::shared_ptr<Waiting>> waiting_;
};

}  // namespace plexus::hub
