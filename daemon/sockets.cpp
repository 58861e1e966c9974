#include "daemon/sockets.hpp"

#include "daemon/net/local_address.hpp"

#include <systemd/sd-daemon.h>

#include <sys/stat.h>

#include <fcntl.h>

namespace plexus {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using schema::Failure;

namespace {

Failure refusal(std::string message) { return Failure(schema::failed("cannot_listen", std::move(message))); }

asio::ip::address bind_address(const config::ServerSection& server) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(server.bind, error);
    if (error) throw refusal("server.bind must be an IP address such as 127.0.0.1, not " + server.bind);
    if (!address.is_loopback())
        throw refusal(
            "server.bind = \"" + server.bind +
            "\" is not a loopback address. Anyone who reaches this daemon can run code as you, so it does "
            "not listen on networks. Keep bind = \"127.0.0.1\" and reach it through `ssh -L " +
            std::to_string(server.port) + ":127.0.0.1:" + std::to_string(server.port) + " host`.");
    return address;
}

tcp::acceptor open_tcp(asio::io_context& loop, const config::ServerSection& server) {
    const tcp::endpoint endpoint(bind_address(server), server.port);
    tcp::acceptor acceptor(loop, endpoint.protocol());
    boost::system::error_code error;
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
        throw refusal("Cannot listen on " + server.bind + ":" + std::to_string(server.port) + ": " +
                      error.message() + ". Choose another with --port, or 0 for any.");
    return acceptor;
}

bool someone_listens(asio::io_context& loop, const net::LocalAddress& address) {
    Local::socket probe(loop);
    boost::system::error_code error;
    probe.connect(address.endpoint(), error);
    return !error;
}

Local::acceptor open_local(asio::io_context& loop, const fs::path& path) {
    std::error_code problem;
    const bool made = fs::create_directories(path.parent_path(), problem);
    if (problem) throw refusal("Cannot make " + path.parent_path().string() + ": " + problem.message());
    if (made) ::chmod(path.parent_path().c_str(), 0700);  // one that was there is its owner's business
    const net::LocalAddress address(path);
    if (fs::exists(path, problem)) {
        if (someone_listens(loop, address)) throw refusal("Another daemon listens on " + path.string());
        fs::remove(path, problem);  // left behind by one that was killed
    }
    Local::acceptor acceptor(loop, Local());
    const auto before = ::umask(0177);  // the socket is private from its first moment
    boost::system::error_code error;
    acceptor.bind(address.endpoint(), error);
    ::umask(before);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw refusal("Cannot listen on " + path.string() + ": " + error.message());
    return acceptor;
}

}  // namespace

void require_loopback(const config::ServerSection& server) { bind_address(server); }

fs::path socket_path(const config::ServerSection& server, const fs::path& state_dir) {
    if (!server.socket.empty()) return server.socket;
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime ? fs::path(runtime) / "plexus/plexus.sock" : state_dir / "run/plexus.sock";
}

Sockets open_sockets(asio::io_context& loop, const config::ServerSection& server, const fs::path& state_dir) {
    Sockets sockets{tcp::acceptor(loop), Local::acceptor(loop), {}, 0};
    const int handed_over = sd_listen_fds(1);
    for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + handed_over; ++fd) {
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (sd_is_socket(fd, AF_INET, SOCK_STREAM, 1) > 0) sockets.tcp.assign(tcp::v4(), fd);
        else if (sd_is_socket(fd, AF_INET6, SOCK_STREAM, 1) > 0) sockets.tcp.assign(tcp::v6(), fd);
        else if (sd_is_socket(fd, AF_UNIX, SOCK_STREAM, 1) > 0) sockets.local.assign(Local(), fd);
    }
    if (!sockets.tcp.is_open()) sockets.tcp = open_tcp(loop, server);
    if (!sockets.tcp.local_endpoint().address().is_loopback())
        throw refusal(
            "The socket handed over by systemd is not a loopback one; set ListenStream=127.0.0.1:4444");
    if (!sockets.local.is_open()) {
        sockets.local_path = socket_path(server, state_dir);
        sockets.local = open_local(loop, sockets.local_path);
    }
    sockets.port = sockets.tcp.local_endpoint().port();
    return sockets;
}

}  // namespace plexus
