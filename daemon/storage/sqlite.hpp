// The SQLite engine behind hub/storage.hpp: WAL, synchronous=FULL, one writer, a few readers.
//
// The process must ignore SIGXFSZ; the storage threads block it, but a write of another thread would still
// end it.
#pragma once

#include "daemon/storage/options.hpp"
#include "hub/storage.hpp"

#include <memory>

namespace plexus::storage {

// Opens and migrates before it returns. Throws Failure; reason `locked`: another daemon has the directory.
std::unique_ptr<hub::Storage> open_sqlite(const Options& options);

}  // namespace plexus::storage
