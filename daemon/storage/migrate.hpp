// Brings a database to the newest schema, one transaction a step, before anything else uses it.
// The steps are the files schema/sql/sqlite/NNNN_name.sql, compiled in; never edited once released.
#pragma once

#include "daemon/storage/connection.hpp"

#include <span>
#include <string_view>

namespace plexus::storage {

struct Migration {
    int version;
    std::string_view name;
    std::string_view sql;
};

// In order. The first one makes the tables the engine itself needs.
std::span<const Migration> migrations();

// Throws Failure: `schema_newer`, `schema_changed` or `migration_failed`; the database is then as it was.
void migrate(Connection& connection, std::span<const Migration> steps);

}  // namespace plexus::storage
