#include "activations/loopback/loopback.hpp"

#include "hub/log.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plexus::loopback {

using hub::Scope;
using schema::Failure;

namespace {

// What the agent is told, in its own words.
Json response_for(const RespondParams& params, const Approval& asked) {
    if (!params.approve) {
        Json response = {{"behavior", "deny"},
                         {"message", params.message.value_or("Denied by the person asked")}};
        if (params.interrupt) response["interrupt"] = true;
        return response;
    }
    Json response = {{"behavior", "allow"}, {"updatedInput", params.updated_input.value_or(asked.input)}};
    if (params.always && asked.request.is_object() && asked.request.contains("permission_suggestions"))
        response["updatedPermissions"] = asked.request["permission_suggestions"];
    return response;
}

}  // namespace

Loopback::Loopback(hub::asio::any_io_executor executor, hub::Storage& storage, hub::Ids& ids,
                   hub::Clock& clock)
    : Activation("loopback", "1.0.0", "Route tool permissions to people for approval"),
      storage_(storage),
      ids_(ids),
      clock_(clock),
      changed_(executor) {
    tell_failures_as_data();
    method("pending", "List what waits for a decision", Scope::approve, &Loopback::pending);
    method("respond", "Decide", Scope::approve, &Loopback::respond);
    method("wait_for_approval", "Wait until something needs a decision", Scope::approve,
           &Loopback::wait_for_approval);
}

awaitable<void> Loopback::recover() {
    const auto left = co_await storage_.write(
        [now = clock_.milliseconds()](hub::Transaction& sql) { return ApprovalStore(sql).cancel_all(now); });
    if (left > 0) hub::log::warn("approvals of agents that are gone were cancelled", {{"count", left}});
}

awaitable<Uuid> Loopback::raise(hub::ToolQuestion question) {
    const auto id = ids_.next();
    co_await storage_.write([id, question = std::move(question), now = clock_.milliseconds()](
                                hub::Transaction& sql) { ApprovalStore(sql).add(id, question, now); });
    changed();
    co_return id;
}

awaitable<std::optional<Json>> Loopback::decision(Uuid approval) {
    for (;;) {
        const auto version = version_;
        struct Seen {
            Status status;
            std::optional<Json> response;
        };
        const auto seen = co_await storage_.read([approval](hub::Transaction& sql) {
            ApprovalStore store(sql);
            return Seen{store.get(approval).status, store.response(approval)};
        });
        if (seen.status != Status::pending) co_return seen.response;
        if (version == version_) co_await changed_.wait();  // else it changed while we looked
    }
}

awaitable<void> Loopback::withdraw(Uuid approval) {
    co_await storage_.write([approval, now = clock_.milliseconds()](hub::Transaction& sql) {
        return ApprovalStore(sql).cancel(approval, now);
    });
    changed();
}

void Loopback::changed() {
    ++version_;
    changed_.notify();
}

awaitable<PendingList> Loopback::list(std::optional<std::string> session) {
    co_return PendingList{co_await storage_.read(
        [session](hub::Transaction& sql) { return ApprovalStore(sql).pending(session); })};
}

awaitable<PendingList> Loopback::pending(PendingParams params) { return list(std::move(params.session_id)); }

awaitable<Responded> Loopback::respond(RespondParams params, hub::Caller caller) {
    co_await storage_.write([params, caller, now = clock_.milliseconds()](hub::Transaction& sql) {
        ApprovalStore store(sql);
        Decision decision;
        decision.approval = params.approval_id;
        decision.status = params.approve ? Status::approved : Status::denied;
        decision.response = response_for(params, store.get(params.approval_id));
        decision.message = params.message;
        decision.by = caller;
        store.decide(decision, now);
    });
    changed();
    co_return Responded{params.approval_id};
}

awaitable<WaitResult> Loopback::wait_for_approval(WaitParams params) {
    using namespace hub::asio::experimental::awaitable_operators;
    const auto deadline = clock_.steady() + std::chrono::seconds(params.timeout_secs);
    for (;;) {
        const auto version = version_;
        auto found = co_await list(params.session_id);
        if (!found.approvals.empty()) co_return found;
        const auto left = deadline - clock_.steady();
        if (left <= std::chrono::steady_clock::duration::zero())
            co_return TimedOut{"No approval received within " + std::to_string(params.timeout_secs) +
                               " seconds"};
        if (version == version_) co_await (changed_.wait() || clock_.sleep(left));
    }
}

}  // namespace plexus::loopback
