#include "daemon/storage/ballast.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace plexus::storage {

bool Ballast::restore() {
    if (held_ || bytes_ <= 0) return true;
    struct stat status{};
    if (::stat(file_.c_str(), &status) == 0 && status.st_size == bytes_ && status.st_blocks * 512 >= bytes_)
        return held_ = true;
    if (!roomy()) return false;
    const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    held_ = ::posix_fallocate(file, 0, bytes_) == 0;
    ::close(file);
    if (!held_) ::unlink(file_.c_str());
    return held_;
}

void Ballast::release() {
    ::unlink(file_.c_str());
    held_ = false;
}

// Without room to spare the next ordinary write would only release it again.
bool Ballast::roomy() const {
    struct statvfs disk{};
    if (::statvfs(file_.parent_path().c_str(), &disk) != 0) return false;
    return static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize) >=
           bytes_ + bytes_ / 4;
}

}  // namespace plexus::storage
