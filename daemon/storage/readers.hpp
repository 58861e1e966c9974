// Threads that read, each with a read-only connection of its own; a call runs in one snapshot.
//
// The writer can stop them for a moment: a log can start over only while nobody reads it, and a database can
// be reopened only while nobody has it open.
#pragma once

#include "daemon/storage/connection.hpp"
#include "hub/storage_call.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace plexus::storage {

// Long reads have a thread of their own, so that nobody waits behind them.
enum class Lane { quick, slow };

class Readers {
public:
    Readers(Place place, unsigned quick_threads);
    ~Readers();

    void submit(hub::StorageCall call, Lane lane) noexcept;
    // Ends what is queued, then refuses and closes the connections.
    void stop();

    // New reads wait from here on. False when those that run did not end in time: nothing is paused then.
    bool pause(std::chrono::milliseconds patience);
    void pause_and_close();  // interrupts what runs; every connection is closed when this returns
    void resume();
    // Reads that have run longer than this end with an error: they keep the log from being emptied.
    void interrupt(std::chrono::milliseconds older_than);

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Reader {
        Lane lane = Lane::quick;
        std::unique_ptr<Connection> connection;
        bool running = false;
        Time since{};
        std::thread thread;
    };

    void loop(Reader& reader);
    void run(Reader& reader, hub::StorageCall& call);
    void open(Reader& reader);
    bool idle() const;
    void wake_all();

    Place place_;
    std::mutex mutex_;
    std::condition_variable arrived_[2];
    std::condition_variable ended_;
    std::deque<hub::StorageCall> queues_[2];  // by lane
    bool paused_ = false;
    bool stopping_ = false;
    std::vector<Reader> readers_;  // last: their threads use everything above
};

}  // namespace plexus::storage
