// Where the daemon listens: a TCP port on loopback and a private unix socket, made here or handed over by
// systemd's socket activation.
#pragma once

#include "daemon/config/config.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace plexus {

struct Sockets {
    boost::asio::ip::tcp::acceptor tcp;
    boost::asio::local::stream_protocol::acceptor local;
    std::filesystem::path local_path;  // empty when systemd owns it
    std::uint16_t port = 0;
};

// Throws Failure unless server.bind is a loopback address.
void require_loopback(const config::ServerSection& server);

// Throws Failure with what to do about it: an address that is not loopback, a port in use, a live socket
// file.
Sockets open_sockets(boost::asio::io_context& loop, const config::ServerSection& server,
                     const std::filesystem::path& state_dir);

std::filesystem::path socket_path(const config::ServerSection& server,
                                  const std::filesystem::path& state_dir);

}  // namespace plexus
