// Why plexusctl ended, for scripts.
#pragma once

#include "schema/error.hpp"

namespace plexus::cli {

enum Exit : int {
    ok = 0,
    failed = 1,
    usage = 2,
    not_reachable = 3,
    auth = 4,
    not_found = 5,
    timed_out = 124,
    interrupted = 130,
};

schema::Error usage_error(std::string message);
schema::Error unreachable(std::string message);

Exit exit_code(const schema::Error& error);

// Ends the process with 130 on SIGINT and with 124 after `timeout` seconds (0: never). From the signal
// handler itself: it works even while a reader that stands still blocks our output. The daemon sees the
// socket close and cancels what we asked for.
void leave_on_signals(double timeout);

}  // namespace plexus::cli
