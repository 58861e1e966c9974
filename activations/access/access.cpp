#include "activations/access/access.hpp"

namespace plexus::access {

using hub::Scope;

Access::Access(hub::Tickets& tickets)
    : Activation("access", "1.0.0", "Credentials of this connection"), tickets_(tickets) {
    method("whoami", "Tell whom the hub takes you for", Scope::read, &Access::whoami);
    method("ticket", "Get a ticket that opens one more connection", Scope::read, &Access::ticket);
}

hub::awaitable<Identity> Access::whoami(hub::NoParams, hub::Caller caller) {
    Identity identity{caller.name, caller.peer, {}};
    for (const auto scope : {Scope::agent, Scope::read, Scope::chat, Scope::approve, Scope::admin})
        if (caller.scopes.allow(scope)) identity.scopes.push_back(scope);
    co_return identity;
}

hub::awaitable<Ticket> Access::ticket(hub::NoParams, hub::Caller caller) {
    co_return Ticket{tickets_.issue_ticket(caller), 30};
}

}  // namespace plexus::access
