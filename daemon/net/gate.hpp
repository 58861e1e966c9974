// The one gate in front of every route. The daemon can run code as its user, so before a request is routed:
// Host exact → Origin exact → Sec-Fetch-Site → credential → what the credential may do. Pure: no I/O.
#pragma once

#include "daemon/net/credentials.hpp"
#include "daemon/net/peer.hpp"

namespace plexus::net {

enum class AuthMode { automatic, token, off };

// The parts of an HTTP request that decide. Repeated headers are kept, because a repeated Host is an attack.
struct Knock {
    std::string method, path, query;
    std::vector<std::string> hosts, origins;
    std::string fetch_site, authorization, cookie, protocols, content_type;
    bool upgrade = false;
};

struct Verdict {
    unsigned status = 0;  // 0: let in; otherwise the HTTP status of the refusal
    hub::Caller caller;   // without scopes: only `_info` is answered (WebSocket only)
    bool by_subprotocol = false;
};

struct GateRules {
    AuthMode mode = AuthMode::automatic;
    std::vector<std::string> hosts;    // exact, lower case, with port
    std::vector<std::string> origins;  // exact scheme://host:port
    unsigned own_uid = 0;
};

class Gate {
public:
    Gate(GateRules rules, Credentials& credentials) : rules_(std::move(rules)), credentials_(credentials) {}
    Verdict judge(const Knock& knock, const Peer& peer);
    std::uint64_t credentials_generation() { return credentials_.generation(); }
    bool still_valid(const std::string& digest) const { return credentials_.knows(digest); }

private:
    bool host_is_ours(const Knock& knock, const Peer& peer) const;
    bool origin_is_ours(const Knock& knock) const;
    Verdict admit(const Knock& knock, const Peer& peer);

    GateRules rules_;
    Credentials& credentials_;
};

}  // namespace plexus::net
