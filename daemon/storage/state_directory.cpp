#include "daemon/storage/state_directory.hpp"

#include "schema/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace plexus::storage {

namespace {

[[noreturn]] void unavailable(const std::string& what, const std::filesystem::path& path) {
    const auto reason = errno;
    std::string hint;
    if (reason == EROFS) hint = "; it is on a read-only file system";
    else if (reason == EACCES || reason == EPERM) hint = "; check its owner and permissions";
    else if (reason == ENOSPC || reason == EDQUOT) hint = "; the disk is full";
    throw schema::Failure(
        schema::failed("storage_unavailable",
                       "Cannot " + what + " " + path.string() + ": " + std::strerror(reason) + hint + ".",
                       {{"path", path.string()}, {"errno", reason}}));
}

[[noreturn]] void locked(int lock, const std::filesystem::path& path) {
    char holder[16] = {};
    const auto length = ::pread(lock, holder, sizeof holder - 1, 0);
    const auto who = length > 0 ? " (process " + std::string(holder, std::strcspn(holder, "\n")) + ")" : "";
    ::close(lock);
    throw schema::Failure(schema::failed(
        "locked", "Another daemon" + who + " is using the state directory " + path.string() + ".",
        {{"path", path.string()}}));
}

}  // namespace

StateDirectory::StateDirectory(std::filesystem::path path) : path_(std::move(path)) {
    create();
    lock();
}

StateDirectory::~StateDirectory() { ::close(lock_); }

void StateDirectory::create() const {
    std::error_code failure;
    if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), failure);
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
        unavailable("create the state directory", path_);
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) unavailable("look at the state directory", path_);
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        unavailable("use the state directory", path_);
    }
    if (status.st_uid != ::geteuid())
        throw schema::Failure(schema::failed(
            "storage_unavailable", "The state directory " + path_.string() + " belongs to another user.",
            {{"path", path_.string()}}));
    if ((status.st_mode & 077) != 0 && ::chmod(path_.c_str(), 0700) != 0)
        unavailable("make private the state directory", path_);
}

// flock and O_CLOEXEC: the lock belongs to this open file, so neither a child process nor another descriptor
// of the same file can keep it or lose it for us.
void StateDirectory::lock() {
    const auto file = path_ / "lock";
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0) unavailable("create the lock file", file);
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) locked(lock, path_);
    lock_ = lock;
    // The number is only for the message of whoever comes second; without room for it the lock still holds.
    const auto number = std::to_string(::getpid()) + "\n";
    if (::ftruncate(lock_, 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(lock_, number.data(), number.size(), 0);
}

void StateDirectory::sync() const {
    const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = folder >= 0 && ::fsync(folder) == 0;
    const int reason = errno;
    if (folder >= 0) ::close(folder);
    errno = reason;
    if (!synced) unavailable("sync the state directory", path_);
}

void StateDirectory::make_private(const std::filesystem::path& file) const {
    const int created = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (created >= 0) ::close(created);
    else if (errno != EEXIST) unavailable("create", file);
    else if (::chmod(file.c_str(), 0600) != 0) unavailable("make private", file);
}

}  // namespace plexus::storage
