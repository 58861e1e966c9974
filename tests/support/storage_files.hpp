// A SQLite store on real files, in a directory of its own, with the tables a test asks for.
#pragma once

#include "daemon/storage/sqlite.hpp"
#include "tests/support/temporary.hpp"

#include <vector>

namespace plexus::tests {

// The engine's own tables and those of a test.
inline std::vector<storage::Migration> with_tables(const char* sql) {
    return {storage::migrations().front(), {1000, "test", sql}};
}

struct FileStore {
    explicit FileStore(const char* sql) : FileStore(with_tables(sql)) {}
    explicit FileStore(std::vector<storage::Migration> steps) : migrations(std::move(steps)) { open(); }

    storage::Options options() const {
        storage::Options options;
        options.directory = directory / "state";
        options.migrations = migrations;
        return options;
    }
    void open() { storage = storage::open_sqlite(options()); }
    void reopen() {
        storage.reset();
        open();
    }

    Temporary directory;
    std::vector<storage::Migration> migrations;
    std::unique_ptr<hub::Storage> storage;
};

}  // namespace plexus::tests
