// One call on its way to a storage thread and back: what an engine of hub/storage.hpp handles.
//
// The job lives in the frame of the suspended caller, and the Waiter owns that frame. So whatever becomes of
// the caller, nothing a storage thread still touches is destroyed: a cancelled caller is resumed all the
// same.
#pragma once

#include "hub/async.hpp"
#include "hub/sql.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/prefer.hpp>

#include <exception>
#include <memory>
#include <vector>

namespace plexus::hub {

class StorageJob {
public:
    virtual void run(Transaction& transaction) = 0;  // on a storage thread; again after a rollback

protected:
    ~StorageJob() = default;
};

// A suspended coroutine, to be resumed once, on its own loop. Keeps that loop running meanwhile.
class Waiter {
public:
    template <class Handler>
    explicit Waiter(Handler handler)
        : executor_(asio::prefer(asio::any_io_executor(asio::get_associated_executor(handler)),
                                 asio::execution::outstanding_work.tracked)),
          suspended_(std::make_unique<Model<Handler>>(std::move(handler))) {}

    const asio::any_io_executor& executor() const { return executor_; }
    void resume(std::exception_ptr failure) {
        std::exchange(suspended_, nullptr)->resume(std::move(failure));
    }

private:
    struct Suspended {
        virtual ~Suspended() = default;
        virtual void resume(std::exception_ptr failure) = 0;
    };
    template <class Handler>
    struct Model final : Suspended {
        explicit Model(Handler h) : handler(std::move(h)) {}
        void resume(std::exception_ptr failure) override { std::move(handler)(std::move(failure)); }
        Handler handler;
    };

    asio::any_io_executor executor_;
    std::unique_ptr<Suspended> suspended_;
};

// Suspends the calling coroutine and hands it to start(Waiter), which must not throw.
template <class Start>
awaitable<void> suspend(Start start) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr)>(
        [start = std::move(start)](auto handler) mutable { start(Waiter(std::move(handler))); },
        use_awaitable);
}

struct StorageCall {
    StorageJob* job;
    Waiter waiter;
    bool may_use_reserve = false;
    std::exception_ptr failure = nullptr;
};

// Resumes every caller on its own loop with what became of its job; neighbours on one loop share a hop.
void answer(std::vector<StorageCall> calls);
inline void answer(StorageCall call) {
    std::vector<StorageCall> one;
    one.push_back(std::move(call));
    answer(std::move(one));
}

}  // namespace plexus::hub
