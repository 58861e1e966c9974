#include "daemon/storage/errors.hpp"

#include <sqlite3.h>

#include <cerrno>

namespace plexus::storage {

namespace {

using schema::Error;

bool out_of_room(sqlite3* database, int code) {
    if ((code & 0xff) == SQLITE_FULL) return true;
    const int reason = database ? sqlite3_system_errno(database) : 0;
    return (code & 0xff) == SQLITE_IOERR && (reason == ENOSPC || reason == EDQUOT);
}

bool is_read(int code) { return code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ; }

std::string_view constraint(int code) {
    switch (code) {
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_ROWID:
        case SQLITE_CONSTRAINT_PRIMARYKEY:
            return "unique";
        case SQLITE_CONSTRAINT_FOREIGNKEY:
            return "foreign_key";
        case SQLITE_CONSTRAINT_NOTNULL:
            return "not_null";
        case SQLITE_CONSTRAINT_CHECK:
            return "check";
        default:
            return "other";
    }
}

Error describe(sqlite3* database, int code, std::string_view doing) {
    const std::string detail = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    const auto said = [&](std::string_view sentence) {
        return std::string(sentence) + " (" + std::string(doing) + ": " + detail + ").";
    };
    const schema::Json data = {{"sqlite", code}};
    if (out_of_room(database, code)) {
        auto error = schema::failed("storage_full", said("The disk is full"), data);
        error.recoverable = true;
        return error;
    }
    switch (code & 0xff) {
        case SQLITE_CONSTRAINT:
            return schema::failed("conflict", said("A rule of the store says no"),
                                  {{"sqlite", code}, {"constraint", constraint(code)}});
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_PROTOCOL:
            return schema::failed("storage_error", said("The disk failed"), data);
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return schema::failed("corrupt", said("The database is damaged"), data);
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return schema::failed("read_only", said("The database cannot be written"), data);
        case SQLITE_INTERRUPT:
            return schema::overloaded(said("The read took too long and was stopped"));
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return schema::overloaded(said("Another program holds the database"));
        case SQLITE_NOMEM:
            return schema::overloaded(said("There is not enough memory"));
        case SQLITE_TOOBIG:
            return schema::failed("too_big", said("The value is too big to store"), data);
        default:
            return schema::failed("internal", said("The store does not understand"), data);
    }
}

}  // namespace

Trouble trouble(sqlite3* database, int code, std::string_view doing) {
    auto error = describe(database, code, doing);
    const bool writing = out_of_room(database, code) || ((code & 0xff) == SQLITE_IOERR && !is_read(code));
    if (writing) return {std::move(error), Damage::file};
    // SQLite ends the transaction by itself after some errors; then it is no longer inside one.
    const bool ended = database && sqlite3_get_autocommit(database) != 0;
    return {std::move(error), ended ? Damage::transaction : Damage::none};
}

}  // namespace plexus::storage
