// loopback: tool approvals by people. A question is durable before it is shown, decided exactly once, and
// effective only when the decision and its audit row are durable together. Nobody waits by polling.
#pragma once

#include "activations/loopback/approval_store.hpp"
#include "hub/activation.hpp"
#include "hub/clock.hpp"
#include "hub/ids.hpp"
#include "hub/storage.hpp"

namespace plexus::loopback {

using hub::awaitable;

struct PendingParams {
    std::optional<std::string> session_id;
};
DESCRIBE(PendingParams, (session_id, "Of this session only"))

struct RespondParams {
    Uuid approval_id{};
    bool approve = false;
    std::optional<std::string> message;
    std::optional<Json> updated_input;
    bool always = false;
    bool interrupt = false;
};
DESCRIBE(RespondParams, (approval_id, "What is answered"), (approve, "Whether the tool may run"),
         (message, "Told to the agent with a refusal"), (updated_input, "Run it with this instead"),
         (always, "Do not ask again in this session for what the agent suggests", defaulted),
         (interrupt, "With a refusal: end the turn as well", defaulted))

struct WaitParams {
    std::string session_id;
    std::uint32_t timeout_secs = 300;
};
DESCRIBE(WaitParams, (session_id, "The session"), (timeout_secs, "How long to wait", defaulted))

struct PendingList {
    static constexpr std::string_view tag = "ok";
    std::vector<Approval> approvals;
};
DESCRIBE(PendingList, (approvals, "Oldest first"))

struct Responded {
    static constexpr std::string_view tag = "ok";
    Uuid approval_id{};
};
DESCRIBE(Responded, (approval_id, "What was decided, durably"))

struct TimedOut {
    static constexpr std::string_view tag = "timeout";
    std::string message;
};
DESCRIBE(TimedOut, (message, "How long was waited"))
using WaitResult = std::variant<PendingList, TimedOut>;

class Loopback : public hub::Activation, public hub::Approvals {
public:
    Loopback(hub::asio::any_io_executor executor, hub::Storage& storage, hub::Ids& ids, hub::Clock& clock);
    // Before anything is served: questions of agents that are gone end as cancelled, never as allowed.
    awaitable<void> recover();

    awaitable<Uuid> raise(hub::ToolQuestion question) override;
    awaitable<std::optional<Json>> decision(Uuid approval) override;
    awaitable<void> withdraw(Uuid approval) override;

private:
    awaitable<PendingList> pending(PendingParams params);
    awaitable<Responded> respond(RespondParams params, hub::Caller caller);
    awaitable<WaitResult> wait_for_approval(WaitParams params);
    awaitable<PendingList> list(std::optional<std::string> session);
    void changed();

    hub::Storage& storage_;
    hub::Ids& ids_;
    hub::Clock& clock_;
    hub::Signal changed_;  // a question came, or was settled
    std::uint64_t version_ = 0;
};

}  // namespace plexus::loopback

template <>
inline constexpr std::string_view plexus::schema::union_name<plexus::loopback::WaitResult> = "WaitResult";
