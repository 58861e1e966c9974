// The address of a unix socket, however long its path. An address holds 107 bytes at most; a longer path is
// reached through its open directory, so keep this alive until bind or connect has returned.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace plexus::net {

class LocalAddress {
public:
    explicit LocalAddress(const std::filesystem::path& path) {
        if (path.string().size() <= longest) {
            endpoint_ = path.string();
            return;
        }
        directory_ = ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        endpoint_ = "/proc/self/fd/" + std::to_string(directory_) + "/" + path.filename().string();
    }
    LocalAddress(const LocalAddress&) = delete;
    ~LocalAddress() {
        if (directory_ >= 0) ::close(directory_);
    }
    const boost::asio::local::stream_protocol::endpoint& endpoint() const { return endpoint_; }

private:
    static constexpr std::size_t longest = 107;
    int directory_ = -1;
    boost::asio::local::stream_protocol::endpoint endpoint_;
};

}  // namespace plexus::net
