#include "daemon/storage/batch.hpp"

namespace plexus::storage {

namespace {

const hub::Statement count_commit{"count_commit", "UPDATE commits SET n = $1 WHERE id = 1"};
const hub::Statement read_commits{"read_commits", "SELECT n FROM commits WHERE id = 1"};

}  // namespace

bool Batch::begin() try {
    connection_->begin();
    begun_ = true;
    start_ = connection_->writes();
    return true;
} catch (const schema::Failure&) {
    return false;
}

bool Batch::add(hub::StorageCall call) {
    calls_.push_back(std::move(call));
    if (!begun_ && !begin()) return false;
    run(calls_.back());
    return !connection_->lost();
}

bool Batch::commit(std::int64_t number) try {
    if (!changed()) {
        if (begun_) connection_->rollback();
        return true;
    }
    connection_->execute(count_commit, number);
    connection_->commit();
    return true;
} catch (const schema::Failure&) {
    return false;
}

void Batch::run(hub::StorageCall& call) {
    const auto before = connection_->writes();
    try {
        if (isolated_) connection_->savepoint();
        call.job->run(*connection_);
        if (isolated_) connection_->release_savepoint();
    } catch (...) {
        call.failure = std::current_exception();
        if (!connection_->lost()) undo(before);
    }
}

void Batch::undo(std::int64_t before) try {
    const bool wrote = connection_->writes() != before;
    if (!isolated_) {
        if (wrote) run_again_isolated();
        return;
    }
    if (wrote) connection_->rollback_to_savepoint();
    connection_->release_savepoint();
} catch (const schema::Failure&) {  // the connection has kept it: the transaction is lost
}

void Batch::run_again_isolated() {
    isolated_ = true;
    connection_->rollback();
    if (!begin()) return;
    for (auto& call : calls_) {
        call.failure = nullptr;
        run(call);
        if (connection_->lost()) return;
    }
}

std::int64_t last_commit(Connection& connection) {
    auto rows = connection.query(read_commits);
    if (!rows.next())
        throw schema::Failure(schema::failed("corrupt", "The store's own count of commits is missing."));
    return rows->integer(0);
}

}  // namespace plexus::storage
