#include "daemon/cli/connect.hpp"

#include "daemon/cli/exit.hpp"
#include "daemon/config/config.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plexus::cli {

using namespace boost::asio::experimental::awaitable_operators;
using schema::Code;
using schema::Error;
using schema::Failure;

namespace {

constexpr auto patience = std::chrono::seconds(5);

// Succeeds always, so that `||` lets go of the deadline when the work fails.
awaitable<std::exception_ptr> outcome(awaitable<void> work) {
    try {
        co_await std::move(work);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

awaitable<std::unique_ptr<Client>> open(Place place, Token token) {
    const auto executor = co_await hub::asio::this_coro::executor;
    auto client = std::make_unique<Client>(executor);
    hub::asio::steady_timer deadline(executor, patience);
    const auto first =
        co_await (outcome(client->open(place, std::move(token))) || deadline.async_wait(hub::use_awaitable));
    if (first.index() == 0 && !std::get<0>(first)) co_return client;
    co_await client->close();
    if (first.index() == 0) std::rethrow_exception(std::get<0>(first));
    throw Failure(unreachable("What listens at " + place.text() + " does not answer within " +
                              std::to_string(patience.count()) + " seconds"));
}

awaitable<std::unique_ptr<Client>> find(Surroundings around) {
    std::string tried;
    for (const auto& place : around.places) {
        try {
            co_return co_await connect(place, around.token);
        } catch (const Failure& failure) {
            if (exit_code(failure.error()) != not_reachable) throw;
            tried += (tried.empty() ? "" : "; ") + failure.error().message;
        }
    }
    throw Failure(unreachable(tried + ". Start a daemon with `plexusd`, or ask `plexusctl doctor`"));
}

}  // namespace

awaitable<std::unique_ptr<Client>> connect(Place place, Token token) {
    try {
        co_return co_await open(place, token);
    } catch (const Failure& failure) {
        if (failure.error().code != Code::unauthenticated || token.insisted || token.text.empty()) throw;
    }
    co_return co_await open(place, {});
}

awaitable<int> with_client(Options options, std::function<awaitable<int>(Client&)> body) {
    const auto client = co_await find(look_around(options, config::process_environment()).value());
    int status = 0;
    std::exception_ptr failure;
    try {
        status = co_await body(*client);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await client->close();
    if (failure) std::rethrow_exception(failure);
    co_return status;
}

}  // namespace plexus::cli
