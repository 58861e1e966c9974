// Who am I here, and a way in for a page: access.whoami, access.ticket.
#pragma once

#include "hub/activation.hpp"
#include "hub/tickets.hpp"

namespace plexus::access {

struct Identity {
    static constexpr std::string_view tag = "identity";
    std::string name, peer;
    std::vector<hub::Scope> scopes;
};
DESCRIBE(Identity, (name, "Of the credential"), (peer, "Where the connection comes from"),
         (scopes, "What it may do"))

struct Ticket {
    static constexpr std::string_view tag = "ticket";
    std::string ticket;
    std::uint32_t expires_in = 30;
};
DESCRIBE(Ticket, (ticket, "Good once, as ?ticket=… in a URL"), (expires_in, "Seconds"))

class Access : public hub::Activation {
public:
    explicit Access(hub::Tickets& tickets);

private:
    hub::awaitable<Identity> whoami(hub::NoParams, hub::Caller caller);
    hub::awaitable<Ticket> ticket(hub::NoParams, hub::Caller caller);

    hub::Tickets& tickets_;
};

}  // namespace plexus::access
