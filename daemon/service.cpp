#include "daemon/service.hpp"

#include "hub/activation.hpp"
#include "hub/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include <systemd/sd-daemon.h>

#include <unistd.h>

namespace plexus {

namespace asio = boost::asio;
namespace log = hub::log;
using namespace std::chrono_literals;

namespace {

constexpr auto longest_stop = 15s;
constexpr auto longest_turn = 50ms;

// The loop's own pulse: says so when a turn took too long, and keeps the watchdog quiet meanwhile.
hub::awaitable<void> pulse() {
    std::uint64_t watchdog_us = 0;
    const bool watched = sd_watchdog_enabled(0, &watchdog_us) > 0;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto due = std::chrono::steady_clock::now();
    for (;;) {
        due = std::chrono::steady_clock::now() + 100ms;
        timer.expires_at(due);
        co_await timer.async_wait(hub::use_awaitable);
        const auto late = std::chrono::steady_clock::now() - due;
        if (late > longest_turn) log::warn("the loop was held up", {{"ms", late / 1ms}});
        if (watched) sd_notify(0, "WATCHDOG=1");
    }
}

}  // namespace

void tell_service_manager(const std::string& state) { sd_notify(0, state.c_str()); }

void run_until_stopped(asio::io_context& loop, std::function<hub::awaitable<void>()> serve) {
    asio::cancellation_signal stop;
    asio::signal_set signals(loop, SIGINT, SIGTERM);
    asio::steady_timer patience(loop);
    hub::TaskGroup background(loop.get_executor());
    background.spawn([] { return pulse(); });

    std::function<void(boost::system::error_code, int)> on_signal = [&](boost::system::error_code error,
                                                                        int number) {
        if (error) return;
        log::info("stopping", {{"signal", number}});
        tell_service_manager("STOPPING=1\nSTATUS=Stopping");
        patience.expires_after(longest_stop);
        patience.async_wait([](boost::system::error_code cancelled) {
            if (cancelled) return;
            log::error("stopping took too long; leaving now");
            ::_exit(1);
        });
        signals.async_wait([](boost::system::error_code again, int) {
            if (!again) ::_exit(130);
        });
        stop.emit(asio::cancellation_type::terminal);
    };
    signals.async_wait(on_signal);

    std::exception_ptr failure;
    const auto finish = [&]() -> hub::awaitable<void> { co_await background.cancel_and_join(); };
    asio::co_spawn(loop, serve(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr thrown) {
                       failure = thrown;
                       signals.cancel();
                       patience.cancel();
                       asio::co_spawn(loop, finish(), [](std::exception_ptr) {});
                   }));
    loop.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace plexus
