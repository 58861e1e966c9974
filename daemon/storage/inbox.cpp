#include "daemon/storage/inbox.hpp"

namespace plexus::storage {

namespace {

constexpr std::size_t most_queued = 16384;

std::exception_ptr refusal(schema::Error error) {
    return std::make_exception_ptr(schema::Failure(std::move(error)));
}

}  // namespace

void Inbox::push(hub::StorageCall call) noexcept {
    std::unique_lock lock(mutex_);
    if (closed_) call.failure = refusal(schema::failed("closed", "The store is closed."));
    else if (arrived_.size() >= most_queued)
        call.failure = refusal(schema::overloaded("Too many writes are waiting."));
    if (call.failure) {
        lock.unlock();
        return hub::answer(std::move(call));
    }
    arrived_.push_back(std::move(call));
    // Waking a thread is a system call: only when it sleeps, and only once.
    const bool wake = std::exchange(waiting_, false);
    lock.unlock();
    if (wake) changed_.notify_one();
}

void Inbox::close() {
    {
        std::scoped_lock lock(mutex_);
        closed_ = true;
    }
    changed_.notify_one();
}

void Inbox::nudge() {
    {
        std::scoped_lock lock(mutex_);
        nudged_ = true;
    }
    changed_.notify_one();
}

bool Inbox::wait(std::optional<Time> until) {
    if (!empty()) return true;
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !arrived_.empty() || nudged_ || closed_; };
    while (!ready()) {
        waiting_ = true;
        if (!until) changed_.wait(lock);
        else if (changed_.wait_until(lock, *until) == std::cv_status::timeout) break;
    }
    waiting_ = false;
    nudged_ = false;
    return !arrived_.empty();
}

bool Inbox::closed() {
    std::scoped_lock lock(mutex_);
    return closed_;
}

std::size_t Inbox::size() {
    std::scoped_lock lock(mutex_);
    return arrived_.size();
}

bool Inbox::empty() { return next_ == taken_.size() && !refill(); }

hub::StorageCall Inbox::pop() {
    assert(!empty());
    return std::move(taken_[next_++]);
}

bool Inbox::refill() {
    taken_.clear();
    next_ = 0;
    std::scoped_lock lock(mutex_);
    std::swap(taken_, arrived_);
    return !taken_.empty();
}

}  // namespace plexus::storage
