// Finds the daemon and gives a command a client that is closed afterwards, however the command ends.
#pragma once

#include "daemon/cli/client.hpp"

#include <functional>

namespace plexus::cli {

// A client at this place, or Failure. A token that was only found, not given, and is not known there is left
// out: the daemon may trust us by our user alone.
awaitable<std::unique_ptr<Client>> connect(Place place, Token token);

awaitable<int> with_client(Options options, std::function<awaitable<int>(Client&)> body);

}  // namespace plexus::cli
