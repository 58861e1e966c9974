#include "daemon/system.hpp"

#include <sys/random.h>

#include <csignal>
#include <system_error>

namespace plexus {

hub::awaitable<void> SystemClock::sleep(std::chrono::steady_clock::duration time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(hub::use_awaitable);
}

void system_random(std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
        if (got < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
        if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

void ignore_harmless_signals() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

}  // namespace plexus
