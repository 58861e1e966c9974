// The daemon's state directory, ours alone (0700) and locked as long as this object lives: a second daemon on
// the same directory is refused. The lock goes with the process, however it ends.
#pragma once

#include <filesystem>

namespace plexus::storage {

class StateDirectory {
public:
    // Throws Failure: `locked`, or `storage_unavailable` with a sentence that says what to mend.
    explicit StateDirectory(std::filesystem::path path);
    ~StateDirectory();
    StateDirectory(const StateDirectory&) = delete;
    StateDirectory& operator=(const StateDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // The names of the files in it survive power loss. SQLite sees to that only where it made a file itself
    // and then synced it, so not after a first start that failed half-way.
    void sync() const;
    // The file exists afterwards and only its owner can read it.
    void make_private(const std::filesystem::path& file) const;

private:
    void create() const;
    void lock();

    std::filesystem::path path_;
    int lock_ = -1;
};

}  // namespace plexus::storage
