// Calls on their way to the writer thread. push() from any thread; the rest belongs to the writer.
#pragma once

#include "hub/storage_call.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

namespace plexus::storage {

class Inbox {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Answers the call itself when it cannot be taken.
    void push(hub::StorageCall call) noexcept;
    void close();
    void nudge();  // ends a wait

    // Waits for a call. False: the time is up, nudge()d, or closed and empty.
    bool wait(std::optional<Time> until);
    bool closed();
    std::size_t size();

    bool empty();
    hub::StorageCall pop();

private:
    bool refill();

    std::vector<hub::StorageCall> taken_;  // the writer's own; read up to next_
    std::size_t next_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<hub::StorageCall> arrived_;
    bool waiting_ = false;
    bool nudged_ = false;
    bool closed_ = false;
};

}  // namespace plexus::storage
