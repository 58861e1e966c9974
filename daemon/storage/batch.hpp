// The calls that share one transaction. Each runs as it arrives; one that fails takes back its own writes
// only.
//
// Savepoints copy every page they may have to restore, so the calls run without; only when one fails after it
// has written, everything is rolled back and run again, now with a savepoint each.
#pragma once

#include "daemon/storage/connection.hpp"
#include "hub/storage_call.hpp"

namespace plexus::storage {

class Batch {
public:
    // The connection may be null as long as nothing is added.
    explicit Batch(Connection* connection) : connection_(connection) {}

    // Runs the call, in a transaction that begins with the first. False when the transaction is lost, as it
    // is when commit() says so: see Connection::lost(). No call is ever answered here.
    bool add(hub::StorageCall call);
    void put(hub::StorageCall call) { calls_.push_back(std::move(call)); }  // without running it
    // `number` is stored with the batch and tells later whether it is in.
    bool commit(std::int64_t number);

    bool changed() const { return begun_ && connection_->writes() != start_; }
    std::size_t size() const { return calls_.size(); }
    std::vector<hub::StorageCall> take() { return std::move(calls_); }

private:
    bool begin();
    void run(hub::StorageCall& call);
    void undo(std::int64_t before);
    void run_again_isolated();

    Connection* connection_;
    std::vector<hub::StorageCall> calls_;
    std::int64_t start_ = 0;
    bool begun_ = false;
    bool isolated_ = false;
};

// The number the last batch in the database was stored with.
std::int64_t last_commit(Connection& connection);

}  // namespace plexus::storage
