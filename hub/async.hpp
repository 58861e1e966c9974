// The few asynchronous words the project uses. Everything here belongs to one event-loop thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <list>

namespace plexus::hub {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

// Wakes every coroutine waiting for "something changed". Waiters re-read the truth themselves.
class Signal {
public:
    explicit Signal(asio::any_io_executor executor)
        : timer_(executor, asio::steady_timer::time_point::max()) {}
    void notify() { timer_.cancel(); }
    // A cancelled *coroutine* throws here; a notify() returns.
    awaitable<void> wait() { co_await timer_.async_wait(asio::as_tuple(use_awaitable)); }

protected:
    asio::steady_timer& timer() { return timer_; }

private:
    asio::steady_timer timer_;
};

// Owns the coroutines it starts. Make it the last member of the class whose fields they use.
class TaskGroup {
public:
    using Task = std::list<asio::cancellation_signal>::iterator;
    explicit TaskGroup(asio::any_io_executor executor) : executor_(executor), idle_(executor) {}
    ~TaskGroup();

    Task spawn(std::function<awaitable<void>(Task)> body);
    Task spawn(std::function<awaitable<void>()> body) {
        return spawn([body = std::move(body)](Task) { return body(); });
    }
    void cancel(Task task) { task->emit(asio::cancellation_type::terminal); }
    void cancel_all();
    awaitable<void> cancel_and_join();
    awaitable<void> join();
    std::size_t size() const { return running_.size(); }
    bool empty() const { return running_.empty(); }

private:
    asio::any_io_executor executor_;
    std::list<asio::cancellation_signal> running_;
    Signal idle_;
};

}  // namespace plexus::hub
