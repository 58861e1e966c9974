// From SQLite's result codes to our errors, in one place.
#pragma once

#include "schema/error.hpp"

#include <string_view>

struct sqlite3;

namespace plexus::storage {

// What an error did beyond the statement that met it.
enum class Damage {
    none,         // only that statement is undone
    transaction,  // the transaction is gone, the file is as it was
    file,         // a write or sync failed: what the file holds now must be read back
};

struct Trouble {
    schema::Error error;
    Damage damage;
};

// The last error of the connection; `doing` names the statement for whoever reads the log.
Trouble trouble(sqlite3* database, int code, std::string_view doing);

}  // namespace plexus::storage
