#include "hub/storage.hpp"

#include <boost/asio/post.hpp>

namespace plexus::hub {

namespace {

// So many callers are resumed in one turn of the loop; the rest let others in between.
constexpr std::size_t callers_per_turn = 64;

}  // namespace

awaitable<void> Storage::call(Access access, StorageJob& job) {
    return suspend([this, access, &job](Waiter waiter) {
        submit(access, StorageCall{&job, std::move(waiter), access == Access::write_reserve});
    });
}

void answer(std::vector<StorageCall> calls) {
    for (auto from = calls.begin(); from != calls.end();) {
        auto to = from + 1;
        while (to != calls.end() && std::size_t(to - from) < callers_per_turn &&
               to->waiter.executor() == from->waiter.executor())
            ++to;
        // Not the waiter's own, which counts as work: this one may be the last thing of the loop still in use
        // here.
        const auto executor =
            asio::prefer(from->waiter.executor(), asio::execution::outstanding_work.untracked);
        std::vector<StorageCall> turn(std::make_move_iterator(from), std::make_move_iterator(to));
        asio::post(executor, [turn = std::move(turn)]() mutable {
            for (auto& call : turn) call.waiter.resume(std::move(call.failure));
        });
        from = to;
    }
}

}  // namespace plexus::hub
