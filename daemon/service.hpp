// What the service manager and the operator see: readiness, watchdog, loop lag, and an orderly stop.
#pragma once

#include "hub/async.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>

namespace plexus {

// Runs `serve` until SIGTERM or SIGINT, then cancels it and waits; a second signal, or fifteen seconds, ends
// the process at once. Beats systemd's watchdog from the loop, so a stuck loop is noticed.
void run_until_stopped(boost::asio::io_context& loop, std::function<hub::awaitable<void>()> serve);

void tell_service_manager(const std::string& state);

}  // namespace plexus
