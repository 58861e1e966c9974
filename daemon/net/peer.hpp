// Who is at the other end of a socket, as the kernel knows it: user, process, and whether that process
// descends from us (an agent's tools). On any doubt the answer is "unknown", and the gate asks for a token.
#pragma once

#include "daemon/net/socket.hpp"

#include <optional>
#include <string>

namespace plexus::net {

struct Peer {
    bool local_socket = false;  // a unix socket; otherwise TCP
    bool loopback = false;
    std::string address;  // for people and logs
    std::optional<unsigned> uid;
    std::optional<int> pid;
    bool descends_from_us = false;
};

Peer identify_peer(Socket& socket);

}  // namespace plexus::net
