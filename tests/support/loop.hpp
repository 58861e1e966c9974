// Runs a coroutine test body to its end on its own event loop, failing if it takes too long.
#pragma once

#include "hub/async.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

namespace plexus::tests {

inline hub::awaitable<void> pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(hub::use_awaitable);
}

inline void run(boost::asio::io_context& loop, hub::awaitable<void> body,
                std::chrono::seconds limit = std::chrono::seconds(60)) {
    std::exception_ptr failure;
    bool finished = false;
    boost::asio::co_spawn(loop, std::move(body), [&](std::exception_ptr e) {
        failure = e;
        finished = true;
        loop.stop();
    });
    loop.restart();
    loop.run_for(limit);
    if (failure) std::rethrow_exception(failure);
    REQUIRE(finished);
}

}  // namespace plexus::tests
