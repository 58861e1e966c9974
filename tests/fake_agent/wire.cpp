#include "tests/fake_agent/wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace plexus::fake_agent {

void write_all(std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(1, text.data(), text.size());
        if (n < 0 && errno != EINTR) return;
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
}

void write_line(const Json& line) {
    write_all(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void log(const Json& entry) {
    static const int file = [] {
        const char* path = std::getenv("FAKE_AGENT_LOG");
        return path ? ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }();
    if (file < 0) return;
    const auto line = entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (::write(file, line.data(), line.size()) < 0) std::abort();
}

std::optional<std::string> Input::line(int ms) {
    while (lines_.empty()) {
        if (ended_ || !fill(ms)) return {};
    }
    auto next = std::move(lines_.front());
    lines_.pop_front();
    log({{"stdin", next}});
    return next;
}

bool Input::fill(int ms) {
    pollfd ready{0, POLLIN, 0};
    if (::poll(&ready, 1, ms) <= 0) return false;
    std::array<char, 65536> chunk;
    const auto n = ::read(0, chunk.data(), chunk.size());
    if (n < 0) return errno != EINTR;
    if (n == 0) {
        ended_ = true;
        if (!rest_.empty()) lines_.push_back(std::move(rest_));
        return true;
    }
    const auto searched = rest_.size();
    rest_.append(chunk.data(), static_cast<std::size_t>(n));
    std::size_t start = 0;
    for (auto end = rest_.find('\n', searched); end != rest_.npos; end = rest_.find('\n', start)) {
        lines_.push_back(rest_.substr(start, end - start));
        start = end + 1;
    }
    rest_.erase(0, start);
    return true;
}

}  // namespace plexus::fake_agent
