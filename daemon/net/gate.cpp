#include "daemon/net/gate.hpp"

#include <algorithm>

namespace plexus::net {

using hub::Scope;
using hub::Scopes;

namespace {

constexpr unsigned unauthorized = 401, forbidden = 403, unsupported_media = 415;

std::string lower(std::string_view text) {
    std::string result(text);
    for (auto& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
    return std::ranges::find(list, value) != list.end();
}

// "a=b; access_token=xyz" → xyz
std::string_view cookie_value(std::string_view cookies, std::string_view name) {
    while (!cookies.empty()) {
        const auto end = cookies.find(';');
        auto pair = cookies.substr(0, end);
        while (pair.starts_with(' ')) pair.remove_prefix(1);
        if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
            return pair.substr(name.size() + 1);
        if (end == cookies.npos) break;
        cookies.remove_prefix(end + 1);
    }
    return {};
}

// What the request shows, in the ways clients know; empty when it shows nothing.
struct Shown {
    std::string token, ticket;
    bool by_subprotocol = false;
    bool any() const { return !token.empty() || !ticket.empty(); }
};

Shown credential_in(const Knock& knock) {
    constexpr std::string_view bearer = "bearer ", protocol = "base64url.bearer.authorization.plexus.";
    if (lower(knock.authorization).starts_with(bearer))
        return {knock.authorization.substr(bearer.size()), {}, false};
    if (!knock.authorization.empty()) return {"?", {}, false};  // some other scheme: shown, and wrong
    if (const auto at = knock.protocols.find(protocol); at != knock.protocols.npos) {
        auto encoded = std::string_view(knock.protocols).substr(at + protocol.size());
        encoded = encoded.substr(0, encoded.find_first_of(", "));
        return {base64url_decoded(encoded).value_or("?"), {}, true};
    }
    if (const auto value = cookie_value(knock.cookie, "access_token"); !value.empty())
        return {std::string(value), {}, false};
    constexpr std::string_view ticket = "ticket=";
    std::string_view query = knock.query;
    while (!query.empty()) {
        const auto end = query.find('&');
        const auto pair = query.substr(0, end);
        if (pair.starts_with(ticket)) return {{}, std::string(pair.substr(ticket.size())), false};
        if (end == query.npos) break;
        query.remove_prefix(end + 1);
    }
    return {};
}

bool is_probe(const Knock& knock) {
    return knock.method == "GET" && (knock.path == "/healthz" || knock.path == "/readyz") &&
           knock.origins.empty();
}

}  // namespace

bool Gate::host_is_ours(const Knock& knock, const Peer& peer) const {
    if (knock.hosts.size() != 1) return false;
    const auto host = lower(knock.hosts[0]);
    // No browser reaches a unix socket, and no port belongs to it.
    return contains(rules_.hosts, host) || (peer.local_socket && host == "localhost");
}

bool Gate::origin_is_ours(const Knock& knock) const {
    return knock.origins.empty() || (knock.origins.size() == 1 && contains(rules_.origins, knock.origins[0]));
}

Verdict Gate::judge(const Knock& knock, const Peer& peer) {
    if (!host_is_ours(knock, peer)) return {forbidden, {}, false};
    if (!origin_is_ours(knock)) return {forbidden, {}, false};
    if (!knock.fetch_site.empty() && knock.fetch_site != "same-origin" && knock.fetch_site != "none" &&
        knock.origins.empty())
        return {forbidden, {}, false};
    if (is_probe(knock)) return {};
    // A form or a text/plain post needs no preflight, so any web page could send one.
    if (knock.method == "POST") {
        const auto type = lower(knock.content_type);
        const auto bare = type.substr(0, type.find(';'));
        if (bare != "application/json" && bare != "application/json ") return {unsupported_media, {}, false};
    }
    auto verdict = admit(knock, peer);
    // Whatever it shows: what an agent started may not act for the people who watch over it.
    if (verdict.status == 0 && peer.descends_from_us) {
        verdict.caller.scopes = {Scope::agent};
        verdict.caller.name = "agent";
    }
    verdict.caller.peer = peer.address;
    verdict.caller.pid = peer.pid;
    return verdict;
}

Verdict Gate::admit(const Knock& knock, const Peer& peer) {
    if (const auto shown = credential_in(knock); shown.any()) {
        auto known =
            shown.token.empty() ? credentials_.redeem(shown.ticket) : credentials_.check(shown.token);
        if (!known) return {unauthorized, {}, false};
        return {0, std::move(*known), shown.by_subprotocol};
    }
    if (rules_.mode == AuthMode::off) return {0, {"anyone", {}, Scopes::all(), {}}, false};
    const bool own_user = peer.uid == rules_.own_uid;
    if (rules_.mode == AuthMode::automatic && own_user && knock.origins.empty()) {
        const auto name = "uid " + std::to_string(*peer.uid);
        if (peer.local_socket) return {0, {name, {}, Scopes::all(), {}}, false};
        if (peer.loopback) return {0, {name, {}, {Scope::read, Scope::chat, Scope::approve}, {}}, false};
    }
    // synapse asks `_info` before it shows its credential, so a WebSocket may open without any scope.
    if (knock.upgrade && knock.origins.empty()) return {0, {}, false};
    return {unauthorized, {}, false};
}

}  // namespace plexus::net
