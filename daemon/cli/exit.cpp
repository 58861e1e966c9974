#include "daemon/cli/exit.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>

namespace plexus::cli {

using schema::Code;
using schema::Error;

namespace {

constexpr auto usage_reason = "usage", unreachable_reason = "not_reachable";

void on_interrupt(int) { ::_exit(interrupted); }

void on_timeout(int) {
    constexpr std::string_view message = "plexusctl: The time given with --timeout is over (timeout)\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(timed_out);
}

}  // namespace

Error usage_error(std::string message) { return {Code::invalid_request, usage_reason, std::move(message)}; }

Error unreachable(std::string message) { return schema::failed(unreachable_reason, std::move(message)); }

Exit exit_code(const Error& error) {
    if (error.reason == usage_reason || error.reason == "invalid_params") return usage;
    if (error.reason == unreachable_reason) return not_reachable;
    if (error.code == Code::unauthenticated || error.code == Code::forbidden) return auth;
    if (error.code == Code::method_not_found || error.reason.ends_with("not_found")) return not_found;
    return failed;
}

void leave_on_signals(double timeout) {
    ::signal(SIGINT, on_interrupt);
    if (timeout <= 0) return;
    ::signal(SIGALRM, on_timeout);
    double whole = 0;
    const auto part = std::modf(timeout, &whole);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(whole);
    timer.it_value.tv_usec = static_cast<suseconds_t>(std::ceil(part * 999'999));
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace plexus::cli
