// The write-ahead log as a file, while no connection has it open.
#pragma once

#include "daemon/storage/connection.hpp"

namespace plexus::storage {

// Writes every byte of the log again and syncs it; how many bytes it has. After a failed sync the kernel
// marks pages clean that never reached the disk, and the next sync says "done" without them. So before a log
// is believed that we did not just sync ourselves, it is made dirty once more.
std::int64_t settle_log(const Place& place);

}  // namespace plexus::storage
