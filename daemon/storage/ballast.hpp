// A file of real blocks that means nothing. When the disk is full it is deleted, and the last events of the
// running streams are written into the room it leaves. Used by the writer thread.
#pragma once

#include <cstdint>
#include <filesystem>

namespace plexus::storage {

class Ballast {
public:
    Ballast(std::filesystem::path file, std::int64_t bytes) : file_(std::move(file)), bytes_(bytes) {}

    // Makes the file if there is room for it and a little more; true when it is there.
    bool restore();
    void release();

private:
    bool roomy() const;

    std::filesystem::path file_;
    std::int64_t bytes_;
    bool held_ = false;
};

}  // namespace plexus::storage
