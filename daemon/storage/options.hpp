// How a SQLite store is opened.
#pragma once

#include "daemon/storage/connection.hpp"
#include "daemon/storage/migrate.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace plexus::storage {

struct Options {
    std::filesystem::path directory;  // the state directory; made if it is not there
    Synchronous synchronous = Synchronous::full;
    unsigned readers = 2;
    std::int64_t ballast_bytes = 4 << 20;
    std::int64_t log_bytes = 64 << 20;  // reads that keep the log from staying below this are ended
    std::span<const Migration> migrations = storage::migrations();

    // Only tests set these. A check that is to be trusted must be seen to fail on a store with the bug it
    // hunts.
    std::string vfs;
    bool acknowledge_early = false;
    bool trust_failed_sync = false;
};

}  // namespace plexus::storage
