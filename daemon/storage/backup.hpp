// A copy of the database made page by page between commits, through the writer's own connection: what is
// written meanwhile goes into the copy too, so it never has to start over and never holds the log. Writer
// thread only.
#pragma once

#include "daemon/storage/connection.hpp"
#include "hub/storage_call.hpp"

#include <SQLiteCpp/Backup.h>

#include <optional>

namespace plexus::storage {

class Backup {
public:
    Backup(std::string path, hub::Waiter waiter) : path_(std::move(path)), waiter_(std::move(waiter)) {}

    // Copies the next pages; true when there is nothing left to do and the caller has been answered.
    bool step(Connection& source) noexcept;
    void abandon(schema::Error why) noexcept;

private:
    bool copy();
    void start(Connection& source);
    void publish();
    void close() noexcept;
    void answer(std::exception_ptr failure);
    std::string partial() const { return path_ + ".partial"; }

    std::string path_;
    hub::Waiter waiter_;
    std::optional<SQLite::Database> target_;
    std::optional<SQLite::Backup> copy_;
};

}  // namespace plexus::storage
