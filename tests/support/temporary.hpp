// A directory of its own for one test, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace plexus::tests {

class Temporary {
public:
    Temporary() {
        auto name = (std::filesystem::temp_directory_path() / "plexus-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
        path_ = name;
    }
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace plexus::tests
