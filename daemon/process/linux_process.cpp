#include "daemon/process/linux_process.hpp"

#include "schema/error.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>

#include <signal.h>
#include <sys/ioctl.h>

namespace plexus::process {

namespace asio = boost::asio;
using hub::awaitable;
using Stream = asio::posix::stream_descriptor;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr auto quietly = asio::as_tuple(hub::use_awaitable);

[[noreturn]] void input_is_closed() {
    throw schema::Failure(schema::failed("stdin_closed", "The process does not read its input any more"));
}

}  // namespace

LinuxProcess::LinuxProcess(asio::any_io_executor executor, Descriptor in, Descriptor out,
                           std::shared_ptr<Life> life)
    : in_(executor, in.release()), out_(executor, out.release()), life_(std::move(life)), turn_(executor) {
    out_.native_non_blocking(true);
}

LinuxProcess::~LinuxProcess() {
    life_->leftovers_grace = {};
    life_->kill_tree();
}

bool LinuxProcess::overdue() const {
    return life_->exit() && std::chrono::steady_clock::now() >= life_->exited_at() + hub::drain_time;
}

awaitable<std::size_t> LinuxProcess::read_stdout(asio::mutable_buffer into) {
    while (!ended_) {
        const auto n = ::read(out_.native_handle(), into.data(), bound_rest(into.size()));
        if (n > 0) {
            if (rest_) *rest_ -= static_cast<std::size_t>(n);
            co_return static_cast<std::size_t>(n);
        }
        if (n < 0 && errno == EINTR) continue;
        ended_ = n == 0 || errno != EAGAIN;
        if (!ended_) co_await until_readable();
    }
    co_return 0;
}

std::size_t LinuxProcess::bound_rest(std::size_t wanted) {
    if (!overdue()) return wanted;
    if (!rest_) {
        int there = 0;
        ::ioctl(out_.native_handle(), FIONREAD, &there);
        rest_ = static_cast<std::size_t>(there);
    }
    return std::min(wanted, *rest_);  // reading 0 bytes is the end
}

awaitable<void> LinuxProcess::until_readable() {
    if (life_->exit()) {
        asio::steady_timer timer(out_.get_executor(), life_->exited_at() + hub::drain_time);
        co_await (out_.async_wait(Stream::wait_read, quietly) || timer.async_wait(quietly));
    } else {
        co_await (out_.async_wait(Stream::wait_read, quietly) || life_->exited().wait());
    }
}

awaitable<void> LinuxProcess::write(std::string text) {
    while (writing_) co_await turn_.wait();
    if (!in_.is_open() || life_->exit()) input_is_closed();
    writing_ = true;
    const std::shared_ptr<void> done(nullptr, [this](void*) {
        writing_ = false;
        turn_.notify();
    });
    // A grandchild may hold the reading end for ever without reading: the exit ends the write too.
    const auto first =
        co_await (asio::async_write(in_, asio::buffer(text), quietly) || life_->exited().wait());
    if (first.index() == 1) input_is_closed();
    const auto error = std::get<0>(std::get<0>(first));
    if (error == asio::error::operation_aborted && in_.is_open() && !life_->exit()) {
        throw boost::system::system_error(error);  // the caller was cancelled
    }
    if (error) input_is_closed();
}

void LinuxProcess::close_stdin() {
    boost::system::error_code ignored;
    in_.close(ignored);
}

awaitable<hub::Exit> LinuxProcess::end(hub::Ladder ladder) {
    life_->leftovers_grace = ladder.leftovers;
    close_stdin();
    if (!co_await life_->exits_within(ladder.end_of_file)) signal(SIGINT);
    if (!co_await life_->exits_within(ladder.interrupt)) signal(SIGTERM);
    if (!co_await life_->exits_within(ladder.terminate)) life_->kill_tree();
    co_await life_->wait_gone();
    co_return co_await life_->wait();
}

}  // namespace plexus::process
