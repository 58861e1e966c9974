// A clock that stands still until a test moves it. Belongs to one loop thread.
#pragma once

#include "hub/clock.hpp"

#include <memory>
#include <vector>

namespace plexus::tests {

class FakeClock : public hub::Clock {
public:
    using Duration = std::chrono::steady_clock::duration;

    std::chrono::system_clock::time_point now() const override { return now_; }
    std::chrono::steady_clock::time_point steady() const override { return steady_; }

    hub::awaitable<void> sleep(Duration time) override {
        const auto until = steady_ + time;
        const auto alarm = std::make_shared<hub::Signal>(co_await hub::asio::this_coro::executor);
        sleepers_.push_back(alarm);
        while (steady_ < until) co_await alarm->wait();
    }

    // Time passes: both clocks move, and whoever slept long enough wakes.
    void advance(Duration time) {
        steady_ += time;
        jump(time);
        std::erase_if(sleepers_, [](const auto& sleeper) { return sleeper.expired(); });
        for (const auto& sleeper : sleepers_)
            if (const auto alarm = sleeper.lock()) alarm->notify();
    }
    // Somebody sets the clock: only wall time moves, and nobody wakes.
    void jump(Duration time) {
        now_ += std::chrono::duration_cast<std::chrono::system_clock::duration>(time);
    }
    std::size_t sleepers() const {
        std::size_t count = 0;
        for (const auto& sleeper : sleepers_) count += !sleeper.expired();
        return count;
    }

private:
    std::chrono::system_clock::time_point now_{std::chrono::seconds(1'760'000'000)};
    std::chrono::steady_clock::time_point steady_{std::chrono::hours(1)};
    std::vector<std::weak_ptr<hub::Signal>> sleepers_;
};

}  // namespace plexus::tests
