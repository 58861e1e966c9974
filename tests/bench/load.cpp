#include "tests/bench/load.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>

namespace plexus::bench {

namespace {

using Clock = std::chrono::steady_clock;

int open_websocket(unsigned short port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect");
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto hello =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n";
    if (::write(fd, hello.data(), hello.size()) < 0) throw std::runtime_error("write");
    std::string answer;
    for (char c; !answer.ends_with("\r\n\r\n");) {
        if (::read(fd, &c, 1) != 1) throw std::runtime_error("no handshake: " + answer);
        answer += c;
    }
    if (answer.find(" 101 ") == answer.npos) throw std::runtime_error("refused: " + answer);
    return fd;
}

// A masked text frame; a mask of zeros is as good as any and costs nothing.
std::string client_frame(const std::string& text) {
    std::string frame("\x81", 1);
    if (text.size() < 126) frame += static_cast<char>(0x80 | text.size());
    else {
        frame += static_cast<char>(0x80 | 126);
        frame += static_cast<char>(text.size() >> 8);
        frame += static_cast<char>(text.size() & 255);
    }
    return frame + std::string(4, '\0') + text;
}

// Counts the complete frames in a stream of bytes.
class FrameCounter {
public:
    int feed(const char* data, std::size_t size) {
        int complete = 0;
        while (size > 0) {
            if (payload_ > 0) {
                const auto skip = std::min(payload_, size);
                payload_ -= skip, data += skip, size -= skip;
                if (payload_ == 0) ++complete;
                continue;
            }
            header_ += *data++;
            --size;
            if (const auto length = payload_length()) {
                header_.clear();
                payload_ = *length;
                if (payload_ == 0) ++complete;
            }
        }
        return complete;
    }

private:
    std::optional<std::size_t> payload_length() const {
        if (header_.size() < 2) return std::nullopt;
        const std::size_t first = static_cast<unsigned char>(header_[1]) & 127;
        const std::size_t extra = first == 126 ? 2 : first == 127 ? 8 : 0;
        if (header_.size() < 2 + extra) return std::nullopt;
        if (extra == 0) return first;
        std::size_t length = 0;
        for (std::size_t i = 0; i < extra; ++i)
            length = length << 8 | static_cast<unsigned char>(header_[2 + i]);
        return length;
    }
    std::string header_;
    std::size_t payload_ = 0;
};

struct Connection {
    int fd = -1;
    FrameCounter counter;
    int frames = 0;
    std::deque<Clock::time_point> asked;
};

double at_share(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto place = values.begin() + static_cast<long>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

void ask(Connection& connection, const std::string& frame, int times) {
    std::string bytes;
    for (int i = 0; i < times; ++i) bytes += frame, connection.asked.push_back(Clock::now());
    for (std::size_t sent = 0; sent < bytes.size();) {
        const auto written = ::write(connection.fd, bytes.data() + sent, bytes.size() - sent);
        if (written <= 0) throw std::runtime_error("write");
        sent += static_cast<std::size_t>(written);
    }
}

}  // namespace

Measured run_load(const Load& load) {
    const auto frame = client_frame(load.request);
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<Connection> all(static_cast<std::size_t>(load.connections));
    for (auto& connection : all) {
        connection.fd = open_websocket(load.port);
        epoll_event event{EPOLLIN, {.ptr = &connection}};
        ::epoll_ctl(poll, EPOLL_CTL_ADD, connection.fd, &event);
        ask(connection, frame, load.depth);
    }
    const auto started = Clock::now();
    const auto warm = started + std::chrono::milliseconds(200);
    const auto end =
        warm + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(load.seconds));
    std::vector<double> latencies;
    std::vector<char> buffer(256 * 1024);
    std::vector<epoll_event> events(256);
    for (auto now = started; now < end;) {
        const int ready = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), 100);
        for (int i = 0; i < ready; ++i) {
            auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
            const auto got = ::read(connection.fd, buffer.data(), buffer.size());
            if (got <= 0) throw std::runtime_error("the server closed a connection");
            connection.frames += connection.counter.feed(buffer.data(), static_cast<std::size_t>(got));
            const int calls = connection.frames / load.frames_per_call;
            connection.frames %= load.frames_per_call;
            now = Clock::now();
            for (int call = 0; call < calls; ++call) {
                if (now > warm)
                    latencies.push_back(
                        std::chrono::duration<double, std::micro>(now - connection.asked.front()).count());
                connection.asked.pop_front();
            }
            if (calls > 0) ask(connection, frame, calls);
        }
        now = Clock::now();
    }
    for (auto& connection : all) ::close(connection.fd);
    ::close(poll);
    Measured measured;
    measured.calls_per_second = static_cast<double>(latencies.size()) / load.seconds;
    measured.p50_us = at_share(latencies, 0.50);
    measured.p99_us = at_share(latencies, 0.99);
    return measured;
}

IdleConnections::IdleConnections(unsigned short port, int count) {
    for (int i = 0; i < count; ++i) sockets_.push_back(open_websocket(port));
}

IdleConnections::~IdleConnections() {
    for (const int fd : sockets_) ::close(fd);
}

}  // namespace plexus::bench
