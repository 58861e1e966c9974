// A store of ledgers on a crash disk. Its directory only holds the lock.
#pragma once

#include "daemon/storage/sqlite.hpp"
#include "hub/log.hpp"
#include "tests/storage/ledger.hpp"
#include "tests/support/crash_vfs.hpp"
#include "tests/support/temporary.hpp"

namespace plexus::tests {

// Thousands of stores are opened, and disks fail on purpose.
struct Quiet {
    Quiet() { hub::log::start(hub::log::Level::off, false); }
    ~Quiet() { hub::log::start(hub::log::Level::info, false); }
};

inline storage::Options on(const CrashDisk& disk, const std::filesystem::path& directory,
                           std::span<const storage::Migration> migrations) {
    storage::Options options;
    options.directory = directory;
    options.vfs = disk.vfs();
    options.readers = 1;
    options.ballast_bytes = 0;
    options.migrations = migrations;
    return options;
}

}  // namespace plexus::tests
