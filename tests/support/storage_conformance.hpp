// What every engine behind hub/storage.hpp must do. An engine's test opens an empty store that has the tables
// below and runs each case on a fresh one:
//
//     items(key INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, data BLOB, weight REAL)
//     parts(item INTEGER NOT NULL REFERENCES items (key), number INTEGER NOT NULL)
#pragma once

#include "hub/storage.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace plexus::tests {

struct ConformanceCase {
    std::string_view sentence;
    hub::awaitable<void> (*body)(hub::Storage& storage);
};

std::span<const ConformanceCase> storage_conformance();

}  // namespace plexus::tests
