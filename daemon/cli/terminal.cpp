#include "daemon/cli/terminal.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

namespace plexus::cli {

namespace asio = boost::asio;

// Opened anew by name: asio makes its descriptors non-blocking, and the one we inherited is the shell's too.
std::optional<Terminal> Terminal::open(asio::any_io_executor executor) {
    char name[PATH_MAX];
    if (!::isatty(STDERR_FILENO) || ::ttyname_r(STDIN_FILENO, name, sizeof name) != 0) return std::nullopt;
    const int number = ::open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (number < 0) return std::nullopt;
    return Terminal(asio::posix::stream_descriptor(executor, number));
}

hub::awaitable<std::optional<std::string>> Terminal::ask(std::string prompt) {
    std::fputs(prompt.c_str(), stderr);
    std::fflush(stderr);
    const auto [error, size] = co_await asio::async_read_until(descriptor_, asio::dynamic_buffer(unread_),
                                                               '\n', asio::as_tuple(hub::use_awaitable));
    if (error) co_return std::nullopt;
    auto line = unread_.substr(0, size - 1);
    unread_.erase(0, size);
    co_return line;
}

}  // namespace plexus::cli
