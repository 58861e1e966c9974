#include "daemon/process/life.hpp"

#include "daemon/process/lineage.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>

namespace plexus::process {

namespace asio = boost::asio;
using hub::awaitable;

namespace {

constexpr auto quietly = asio::as_tuple(hub::use_awaitable);

hub::Exit meaning(int status) {
    if (WIFSIGNALED(status)) return {{}, WTERMSIG(status)};
    return {WEXITSTATUS(status), {}};
}

}  // namespace

Life::Life(asio::any_io_executor executor, hub::ProcessRecord record, Descriptor exit, Descriptor err)
    : record_(std::move(record)),
      pidfd_(executor, exit.release()),
      err_(executor, err.release()),
      exited_(executor),
      gone_signal_(executor) {
    err_.native_non_blocking(true);
}

hub::Tail Life::tail() const {
    const auto extra = tail_.size() > hub::tail_size ? tail_.size() - hub::tail_size : 0;
    return {tail_.substr(extra), dropped_ + extra};
}

void Life::signal(int number) {
    // By pidfd: once we have reaped the child its number may belong to somebody else.
    if (!exit_) ::syscall(SYS_pidfd_send_signal, pidfd_.native_handle(), number, nullptr, 0);
}

void Life::kill_tree() {
    if (exit_) return;
    const auto below = descendants(record_.pid);
    signal(SIGKILL);
    for (const auto pid : below) ::kill(pid, SIGKILL);
}

awaitable<hub::Exit> Life::wait() {
    while (!exit_) co_await exited_.wait();
    co_return *exit_;
}

awaitable<bool> Life::exits_within(std::chrono::milliseconds time) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    if (!exit_ && time.count() > 0) co_await (exited_.wait() || timer.async_wait(quietly));
    co_return exit_.has_value();
}

awaitable<void> Life::wait_gone() {
    while (!gone_) co_await gone_signal_.wait();
}

void Life::set_gone() {
    gone_ = true;
    gone_signal_.notify();
}

awaitable<void> Life::watch() {
    while (!exit_) {
        co_await pidfd_.async_wait(asio::posix::stream_descriptor::wait_read, quietly);
        collect();
    }
}

void Life::collect() {
    int status = 0;
    if (exit_ || ::waitpid(record_.pid, &status, WNOHANG) != record_.pid) return;
    // All it wrote is in the pipe by now. Others may still hold the pipe: what they say is not its last
    // words.
    constexpr int most = 32;
    for (int i = 0; i < most && read_stderr() == Got::some; ++i) {
    }
    exit_ = meaning(status);
    exited_at_ = std::chrono::steady_clock::now();
    boost::system::error_code ignored;
    err_.close(ignored);
    pidfd_.close(ignored);
    exited_.notify();
}

awaitable<void> Life::keep_stderr() {
    while (err_.is_open()) {
        co_await err_.async_wait(asio::posix::stream_descriptor::wait_read, quietly);
        if (err_.is_open() && read_stderr() == Got::end) break;
    }
}

Life::Got Life::read_stderr() {
    std::array<char, 64 * 1024> chunk;
    const auto n = ::read(err_.native_handle(), chunk.data(), chunk.size());
    if (n < 0) return Got::nothing;
    tail_.append(chunk.data(), static_cast<std::size_t>(n));
    if (tail_.size() >
        2 * chunk.size()) {  // cut rarely: a flood costs its reading, not a move for each piece
        dropped_ += tail_.size() - hub::tail_size;
        tail_.erase(0, tail_.size() - hub::tail_size);
    }
    return n > 0 ? Got::some : Got::end;
}

}  // namespace plexus::process
