// The few asynchronous words the project uses. Everything here belongs to one event-loop thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <list>
#include <utility>

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

    // `body` is a callable that gives an awaitable<void>; it may take the Task. It is kept as long as the
    // coroutine runs, so a coroutine lambda may capture here.
    template <class Body>
    Task spawn(Body body) {
        const auto task = running_.emplace(running_.end());
        if constexpr (std::is_invocable_v<Body&, Task>)
            launch(task, [body = std::move(body), task]() mutable { return body(task); });
        else launch(task, std::move(body));
        return task;
    }
    void cancel(Task task) { task->emit(asio::cancellation_type::terminal); }
    void cancel_all();
    awaitable<void> cancel_and_join();
    awaitable<void> join();
    std::size_t size() const { return running_.size(); }
    bool empty() const { return running_.empty(); }

private:
    // Reports a failure and forgets the task. The signal must outlive the handler bound to it, so it goes
    // when this last copy of the handler does.
    class Ending {
    public:
        Ending(TaskGroup& group, Task task) : group_(&group), task_(task) {}
        Ending(Ending&& other) noexcept : group_(std::exchange(other.group_, nullptr)), task_(other.task_) {}
        ~Ending() {
            if (group_) group_->forget(task_);
        }
        void operator()(std::exception_ptr failure) const {
            if (failure) report(failure);
        }

    private:
        TaskGroup* group_;
        Task task_;
    };

    template <class Start>
    void launch(Task task, Start start) {
        asio::co_spawn(executor_, std::move(start),
                       asio::bind_cancellation_slot(task->slot(), Ending(*this, task)));
    }
    void forget(Task task);
    static void report(const std::exception_ptr& failure);

    asio::any_io_executor executor_;
    std::list<asio::cancellation_signal> running_;
    Signal idle_;
};

}  // namespace plexus::hub
