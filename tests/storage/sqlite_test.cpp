#include "tests/support/loop.hpp"
#include "tests/support/storage_conformance.hpp"
#include "tests/support/storage_files.hpp"

namespace plexus::tests {

namespace {

constexpr auto conformance_tables =
    "CREATE TABLE items (key INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, data BLOB, weight REAL) STRICT;"
    "CREATE TABLE parts (item INTEGER NOT NULL REFERENCES items (key), number INTEGER NOT NULL) STRICT;";

}  // namespace

TEST_CASE("the SQLite store keeps the contract of the storage port", "[storage]") {
    for (const auto& conformance : storage_conformance()) {
        DYNAMIC_SECTION(conformance.sentence) {
            boost::asio::io_context loop(1);
            FileStore store(conformance_tables);
            run(loop, conformance.body(*store.storage));
        }
    }
}

}  // namespace plexus::tests
