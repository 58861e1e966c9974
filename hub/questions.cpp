#include "hub/questions.hpp"

namespace plexus::hub {

using schema::Failure;

namespace {

// Forgets the question however the wait ends.
template <class Map>
struct Forget {
    Map& map;
    std::string id;
    ~Forget() { map.erase(id); }
};

}  // namespace

awaitable<Json> Questions::await_answer(std::string id, std::chrono::milliseconds timeout) {
    const auto question = std::make_shared<Waiting>(
        Waiting{asio::steady_timer(co_await asio::this_coro::executor, timeout), std::nullopt});
    waiting_.emplace(id, question);
    const Forget<decltype(waiting_)> forget{waiting_, id};
    co_await question->deadline.async_wait(asio::as_tuple(use_awaitable));
    if (!question->answer)
        throw Failure(schema::failed("timeout",
                                     "No answer came within " + std::to_string(timeout.count()) + " ms",
                                     {{"request_id", id}}));
    co_return std::move(*question->answer);
}

void Questions::answer(const std::string& id, Json data) {
    const auto found = waiting_.find(id);
    if (found == waiting_.end() || found->second->answer)
        throw Failure(
            {schema::Code::invalid_params, "unknown_request", "Unknown request ID: " + schema::clipped(id)});
    found->second->answer = std::move(data);
    found->second->deadline.cancel();
}

}  // namespace plexus::hub
