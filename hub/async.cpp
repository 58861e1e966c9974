#include "hub/async.hpp"

#include "hub/log.hpp"

#include <cassert>

namespace plexus::hub {

// A task that fails harms only itself: thrown on, its exception would end the event loop.
void TaskGroup::report(const std::exception_ptr& failure) try {
    std::rethrow_exception(failure);
} catch (const boost::system::system_error& reason) {
    if (reason.code() == asio::error::operation_aborted) return;  // cancelled on purpose
    log::warn("task failed", {{"reason", reason.what()}});
} catch (const std::exception& reason) {
    log::warn("task failed", {{"reason", reason.what()}});
}

TaskGroup::~TaskGroup() { assert(running_.empty() && "cancel_and_join() first"); }

void TaskGroup::forget(Task task) {
    running_.erase(task);
    if (running_.empty()) idle_.notify();
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
