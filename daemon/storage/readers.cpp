#include "daemon/storage/readers.hpp"

#include "daemon/storage/thread.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace plexus::storage {

namespace {

constexpr std::size_t most_queued = 16384;

std::exception_ptr refusal(schema::Error error) {
    return std::make_exception_ptr(schema::Failure(std::move(error)));
}

}  // namespace

Readers::Readers(Place place, unsigned quick_threads)
    : place_(std::move(place)), readers_(quick_threads + 1) {
    readers_.back().lane = Lane::slow;
    for (auto& reader : readers_) reader.thread = quiet_thread([this, &reader] { loop(reader); });
}

Readers::~Readers() { stop(); }

void Readers::submit(hub::StorageCall call, Lane lane) noexcept {
    std::unique_lock lock(mutex_);
    auto& queue = queues_[static_cast<std::size_t>(lane)];
    if (stopping_) call.failure = refusal(schema::failed("closed", "The store is closed."));
    else if (queue.size() >= most_queued)
        call.failure = refusal(schema::overloaded("Too many reads are waiting."));
    if (call.failure) {
        lock.unlock();
        return hub::answer(std::move(call));
    }
    queue.push_back(std::move(call));
    lock.unlock();
    arrived_[static_cast<std::size_t>(lane)].notify_one();
}

void Readers::stop() {
    {
        std::scoped_lock lock(mutex_);
        stopping_ = true;
        paused_ = false;
    }
    wake_all();
    for (auto& reader : readers_)
        if (reader.thread.joinable()) reader.thread.join();
    for (auto& reader : readers_) reader.connection.reset();
}

void Readers::wake_all() {
    for (auto& arrived : arrived_) arrived.notify_all();
}

bool Readers::idle() const { return std::ranges::none_of(readers_, &Reader::running); }

bool Readers::pause(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    paused_ = true;
    if (ended_.wait_for(lock, patience, [this] { return idle(); })) return true;
    paused_ = false;
    lock.unlock();
    wake_all();
    return false;
}

void Readers::pause_and_close() {
    while (!pause(std::chrono::milliseconds(100))) interrupt(std::chrono::milliseconds(0));
    std::scoped_lock lock(mutex_);
    for (auto& reader : readers_) reader.connection.reset();
}

void Readers::resume() {
    {
        std::scoped_lock lock(mutex_);
        paused_ = false;
    }
    wake_all();
}

void Readers::interrupt(std::chrono::milliseconds older_than) {
    std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    for (auto& reader : readers_)
        if (reader.running && reader.connection && now - reader.since >= older_than)
            sqlite3_interrupt(reader.connection->handle());
}

void Readers::loop(Reader& reader) {
    auto& queue = queues_[static_cast<std::size_t>(reader.lane)];
    auto& arrived = arrived_[static_cast<std::size_t>(reader.lane)];
    std::unique_lock lock(mutex_);
    for (;;) {
        arrived.wait(lock, [&] { return stopping_ || (!paused_ && !queue.empty()); });
        if (queue.empty()) return;
        auto call = std::move(queue.front());
        queue.pop_front();
        reader.running = true;
        reader.since = std::chrono::steady_clock::now();
        lock.unlock();
        run(reader, call);
        hub::answer(std::move(call));
        lock.lock();
        reader.running = false;
        if (paused_) ended_.notify_all();
    }
}

void Readers::run(Reader& reader, hub::StorageCall& call) {
    try {
        if (!reader.connection) open(reader);
        reader.connection->begin();
        call.job->run(*reader.connection);
    } catch (...) {
        call.failure = std::current_exception();
    }
    if (reader.connection) reader.connection->rollback();
}

void Readers::open(Reader& reader) {
    auto connection = std::make_unique<Connection>(place_, Role::reader);
    std::scoped_lock lock(mutex_);
    reader.connection = std::move(connection);
}

}  // namespace plexus::storage
