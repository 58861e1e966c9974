// Questions about tools, put to people: what an activation that runs agents asks for, and who answers is not
// its business. Implemented by loopback.
#pragma once

#include "hub/async.hpp"
#include "schema/uuid.hpp"

#include <optional>

namespace plexus::hub {

struct ToolQuestion {
    schema::Uuid session{}, stream{};
    std::string session_name;  // what people know it by, or the name its approvals go by
    std::string tool_name, tool_use_id;
    std::string input;    // JSON text
    std::string request;  // JSON text: suggestions, form and the rest, as the agent asked
};

class Approvals {
public:
    virtual ~Approvals() = default;
    // Returns once the question is durable; its id is what people answer.
    virtual awaitable<schema::Uuid> raise(ToolQuestion question) = 0;
    // The agent's answer object, once the decision is durable; nothing when the question was withdrawn
    // meanwhile.
    virtual awaitable<std::optional<schema::Json>> decision(schema::Uuid approval) = 0;
    // The agent took the question back, or is gone.
    virtual awaitable<void> withdraw(schema::Uuid approval) = 0;
};

}  // namespace plexus::hub
