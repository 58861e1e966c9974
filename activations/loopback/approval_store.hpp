// Approvals and their audit in the database. Synchronous, on a storage thread.
#pragma once

#include "hub/approvals.hpp"
#include "hub/caller.hpp"
#include "hub/sql.hpp"

namespace plexus::loopback {

using schema::Json;
using schema::Uuid;

enum class Status { pending, approved, denied, timed_out, cancelled };
DESCRIBE_ENUM(Status, pending, approved, denied, timed_out, cancelled)

struct Approval {
    Uuid id{};
    std::string session_id, tool_name, tool_use_id;
    Json input;
    Status status = Status::pending;
    std::optional<std::string> response_message;
    std::int64_t created_at = 0;
    std::optional<std::int64_t> resolved_at;
    Uuid stream_id{};
    Json request;
};
DESCRIBE(Approval, (id, "What to answer"), (session_id, "The name the session's approvals go by"),
         (tool_name, "The tool that wants to run"), (tool_use_id, "The call"),
         (input, "What it would run with"), (status, "pending until somebody decides"),
         (response_message, "What was said with the decision", nullable), (created_at, "Unix seconds"),
         (resolved_at, "Unix seconds", nullable), (stream_id, "The chat it belongs to"),
         (request, "All that the agent said: suggestions, the form of a question, a plan"))

struct Decision {
    Uuid approval{};
    Status status = Status::denied;
    Json response;  // what the agent is told
    std::optional<std::string> message;
    hub::Caller by;
};

class ApprovalStore {
public:
    explicit ApprovalStore(hub::Transaction& transaction) : sql_(transaction) {}
    void add(Uuid id, const hub::ToolQuestion& question, std::int64_t now_ms);
    std::vector<Approval> pending(const std::optional<std::string>& session);
    Approval get(Uuid id);  // throws not_found
    std::optional<Json> response(Uuid id);
    // Exactly once: throws `already_resolved` with the decision when there is one. The audit row is part of
    // it.
    void decide(const Decision& decision, std::int64_t now_ms);
    // Nobody can answer any more; no decision, no audit. False when it was decided already.
    bool cancel(Uuid id, std::int64_t now_ms);
    // At start: the agents that asked are gone.
    std::int64_t cancel_all(std::int64_t now_ms);

private:
    hub::Transaction& sql_;
};

}  // namespace plexus::loopback
