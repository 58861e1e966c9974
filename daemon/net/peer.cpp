#include "daemon/net/peer.hpp"

#include "daemon/process/lineage.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace plexus::net {

namespace {

using asio::ip::tcp;

struct Owner {
    unsigned uid = 0;
    unsigned inode = 0;
};

void put_address(const asio::ip::address& address, __be32 (&out)[4]) {
    if (address.is_v4()) {
        const auto bytes = address.to_v4().to_bytes();
        std::memcpy(out, bytes.data(), bytes.size());
    } else {
        const auto bytes = address.to_v6().to_bytes();
        std::memcpy(out, bytes.data(), bytes.size());
    }
}

class Netlink {
public:
    Netlink() : fd_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}
    ~Netlink() {
        if (fd_ >= 0) ::close(fd_);
    }
    int fd() const { return fd_; }

private:
    int fd_;
};

// Asks the kernel for the *peer's* end of a loopback connection: its local address is our remote one.
std::optional<Owner> owner_of(const tcp::endpoint& theirs, const tcp::endpoint& ours) {
    const Netlink netlink;
    if (netlink.fd() < 0) return std::nullopt;
    struct {
        nlmsghdr header;
        inet_diag_req_v2 request;
    } ask{};
    ask.header.nlmsg_len = sizeof ask;
    ask.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    ask.header.nlmsg_flags = NLM_F_REQUEST;
    ask.request.sdiag_family = theirs.address().is_v4() ? AF_INET : AF_INET6;
    ask.request.sdiag_protocol = IPPROTO_TCP;
    ask.request.idiag_states = 1u << TCP_ESTABLISHED;
    ask.request.id.idiag_sport = htons(theirs.port());
    ask.request.id.idiag_dport = htons(ours.port());
    put_address(theirs.address(), ask.request.id.idiag_src);
    put_address(ours.address(), ask.request.id.idiag_dst);
    ask.request.id.idiag_cookie[0] = ask.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

    const timeval patience{0, 200'000};
    ::setsockopt(netlink.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::send(netlink.fd(), &ask, sizeof ask, 0) != sizeof ask) return std::nullopt;
    alignas(nlmsghdr) char reply[4096];
    const auto size = ::recv(netlink.fd(), reply, sizeof reply, 0);
    const auto* header = reinterpret_cast<const nlmsghdr*>(reply);
    if (size < 0 || !NLMSG_OK(header, static_cast<unsigned>(size)) ||
        header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return std::nullopt;
    const auto* found = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
    // Once the client has closed, the row says uid 0 and inode 0: believe only a live socket.
    if (found->idiag_state != TCP_ESTABLISHED || found->idiag_inode == 0) return std::nullopt;
    return Owner{found->idiag_uid, found->idiag_inode};
}

Peer unix_peer(Socket& socket) {
    Peer peer{true, true, "unix", {}, {}, false};
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return peer;
    peer.uid = credentials.uid;
    peer.pid = credentials.pid;
    peer.address = "unix pid " + std::to_string(credentials.pid);
    peer.descends_from_us = process::is_descendant(credentials.pid);
    return peer;
}

tcp::endpoint as_tcp(const asio::generic::stream_protocol::endpoint& generic) {
    tcp::endpoint endpoint;
    endpoint.resize(generic.size());
    std::memcpy(endpoint.data(), generic.data(), generic.size());
    return endpoint;
}

}  // namespace

Peer identify_peer(Socket& socket) {
    boost::system::error_code error;
    const auto remote = socket.remote_endpoint(error);
    if (error) return {};
    if (remote.protocol().family() == AF_UNIX) return unix_peer(socket);

    const auto theirs = as_tcp(remote), ours = as_tcp(socket.local_endpoint());
    Peer peer;
    peer.loopback = theirs.address().is_loopback();
    peer.address = theirs.address().to_string() + ":" + std::to_string(theirs.port());
    if (!peer.loopback) return peer;
    if (const auto owner = owner_of(theirs, ours)) {
        peer.uid = owner->uid;
        peer.pid = process::descendant_owning_socket(owner->inode);
        peer.descends_from_us = peer.pid.has_value();
    }
    return peer;
}

}  // namespace plexus::net
