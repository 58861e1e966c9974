#include "daemon/storage/backup.hpp"

#include <sqlite3.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace plexus::storage {

namespace {

constexpr int pages_per_step = 256;

[[noreturn]] void unavailable(const std::string& what, const std::string& path) {
    throw schema::Failure(
        schema::failed("storage_error", "Cannot " + what + " " + path + ": " + std::strerror(errno) + "."));
}

}  // namespace

bool Backup::step(Connection& source) noexcept {
    try {
        if (!copy_) start(source);
        if (!copy()) return false;
        publish();
        answer(nullptr);
    } catch (const schema::Failure& failure) {
        abandon(failure.error());
    } catch (const SQLite::Exception& failure) {
        abandon(trouble(nullptr, failure.getErrorCode(), "back up").error);
    }
    return true;
}

void Backup::abandon(schema::Error why) noexcept {
    close();
    ::unlink(partial().c_str());
    answer(std::make_exception_ptr(schema::Failure(std::move(why))));
}

void Backup::start(Connection& source) {
    std::error_code ignored;
    if (std::filesystem::exists(path_, ignored))
        throw schema::Failure(
            schema::failed("conflict", "There is already a file " + path_ + "; a backup replaces nothing."));
    const int file = ::open(partial().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) unavailable("create the backup", partial());
    ::close(file);
    target_.emplace(partial(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    copy_.emplace(*target_, source.database());
}

bool Backup::copy() {
    const int code = copy_->executeStep(pages_per_step);
    if (code == SQLITE_OK) return false;
    if (code == SQLITE_DONE) return true;
    throw SQLite::Exception(sqlite3_errstr(code), code);
}

// The name appears only with a whole, synced file behind it.
void Backup::publish() {
    close();
    if (::rename(partial().c_str(), path_.c_str()) != 0) unavailable("name the backup", path_);
    const auto parent = std::filesystem::path(path_).parent_path();
    const int folder = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = folder >= 0 && ::fsync(folder) == 0;
    if (folder >= 0) ::close(folder);
    if (!synced) unavailable("sync the folder of the backup", path_);
}

void Backup::close() noexcept {
    copy_.reset();
    target_.reset();
}

void Backup::answer(std::exception_ptr failure) {
    hub::answer(hub::StorageCall{nullptr, std::move(waiter_), false, std::move(failure)});
}

}  // namespace plexus::storage
