#include "hub/async.hpp"

#include "hub/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/consign.hpp>

#include <cassert>
#include <memory>

namespace plexus::hub {

namespace {

// A task that fails harms only itself: thrown on, its exception would end the event loop.
void report(const std::exception_ptr& failure) try {
    std::rethrow_exception(failure);
} catch (const boost::system::system_error& reason) {
    if (reason.code() == asio::error::operation_aborted) return;  // cancelled on purpose
    log::warn("task failed", {{"reason", reason.what()}});
} catch (const std::exception& reason) {
    log::warn("task failed", {{"reason", reason.what()}});
}

}  // namespace

TaskGroup::~TaskGroup() { assert(running_.empty() && "cancel_and_join() first"); }

TaskGroup::Task TaskGroup::spawn(std::function<awaitable<void>(Task)> body) {
    const auto task = running_.emplace(running_.end());
    // The signal must outlive the handler bound to it, so it goes when the handler itself is destroyed.
    std::shared_ptr<void> forget(nullptr, [this, task](void*) {
        running_.erase(task);
        if (running_.empty()) idle_.notify();
    });
    auto done = [](std::exception_ptr failure) {
        if (failure) report(failure);
    };
    // co_spawn keeps the callable alive as long as the coroutine, so a coroutine lambda may capture here.
    asio::co_spawn(
        executor_, [body = std::move(body), task] { return body(task); },
        asio::bind_cancellation_slot(task->slot(), asio::consign(std::move(done), std::move(forget))));
    return task;
}

void TaskGroup::cancel_all() {
    for (auto task = running_.begin(); task != running_.end();) cancel(task++);
}

awaitable<void> TaskGroup::join() {
    while (!running_.empty()) co_await idle_.wait();
}

awaitable<void> TaskGroup::cancel_and_join() {
    cancel_all();
    co_await join();
}

}  // namespace plexus::hub
