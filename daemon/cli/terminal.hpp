// The person at the terminal, if there is one: lines read without blocking the loop.
#pragma once

#include "hub/async.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <optional>
#include <string>

namespace plexus::cli {

class Terminal {
public:
    // None when standard input or standard error is no terminal.
    static std::optional<Terminal> open(hub::asio::any_io_executor executor);

    // Asks on standard error, which leaves standard output to the results. None at end of file.
    hub::awaitable<std::optional<std::string>> ask(std::string prompt);

private:
    explicit Terminal(hub::asio::posix::stream_descriptor descriptor) : descriptor_(std::move(descriptor)) {}

    hub::asio::posix::stream_descriptor descriptor_;
    std::string unread_;
};

}  // namespace plexus::cli
