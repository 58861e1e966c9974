#include "daemon/storage/writer.hpp"

#include "daemon/storage/thread.hpp"

#include <algorithm>

namespace plexus::storage {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t most_per_commit = 4096;
constexpr auto longest_batch = 20ms;
constexpr auto longest_window = 1ms;
constexpr auto idle_time = 50ms;
constexpr auto room_check = 500ms;

void fail_all(std::vector<hub::StorageCall> calls, const schema::Error& error) {
    for (auto& call : calls) call.failure = std::make_exception_ptr(schema::Failure(error));
    hub::answer(std::move(calls));
}

schema::Error with_outcome(schema::Error error, Outcome outcome) {
    error.data["outcome"] = outcome == Outcome::undone ? "undone" : "unknown";
    return error;
}

}  // namespace

Writer::Writer(const Options& options)
    : acknowledge_early_(options.acknowledge_early),
      database_(options),
      thread_(quiet_thread([this] { loop(); })) {}

Writer::~Writer() {
    inbox_.close();
    thread_.join();
}

void Writer::backup(std::string path, hub::Waiter waiter) noexcept {
    {
        std::scoped_lock lock(mutex_);
        backups_.emplace_back(std::move(path), std::move(waiter));
        if (ended_) {
            backups_.back().abandon(schema::failed("closed", "The store is closed."));
            backups_.pop_back();
        }
    }
    inbox_.nudge();
}

void Writer::close(hub::Waiter waiter) noexcept {
    {
        std::scoped_lock lock(mutex_);
        if (!ended_) closing_.push_back(std::move(waiter));
        else hub::answer(hub::StorageCall{nullptr, std::move(waiter)});
    }
    inbox_.close();
}

hub::StorageHealth Writer::health() {
    auto health = database_.health();
    health.queued = static_cast<std::int64_t>(inbox_.size());
    return health;
}

void Writer::loop() {
    for (;;) {
        const bool called = inbox_.wait(next_upkeep());
        if (called) commit_together();
        else if (inbox_.closed()) break;
        upkeep(!called);
    }
    end();
}

void Writer::commit_together() {
    database_.look_for_room();
    const auto started = steady_clock::now();
    Batch batch(database_.connection());
    do {
        if (!add(batch, inbox_.pop())) return recover(batch);
    } while (another_soon(batch, started));
    finish(batch);
}

void Writer::commit_now(Calls calls) {
    Batch batch(database_.connection());
    bool lost = false;
    for (auto& call : calls) {
        if (lost) batch.put(std::move(call));
        else lost = !add(batch, std::move(call));
    }
    lost ? recover(batch) : finish(batch);
}

bool Writer::add(Batch& batch, hub::StorageCall call) {
    const auto refusal = database_.refuses(call.may_use_reserve);
    if (!refusal) return batch.add(std::move(call));
    call.failure = std::make_exception_ptr(schema::Failure(*refusal));
    hub::answer(std::move(call));
    return true;
}

// The callers just answered come back with their next write a moment later; waiting for as many as last time
// costs less than a commit for the first of them alone. Never longer than a commit takes, or a millisecond.
bool Writer::another_soon(const Batch& batch, Time started) {
    const auto now = steady_clock::now();
    if (batch.size() >= most_per_commit || now - started > longest_batch) return false;
    if (!inbox_.empty()) return true;
    if (batch.size() >= last_batch_) return false;
    return inbox_.wait(std::min(now + window_, started + longest_window));
}

void Writer::finish(Batch& batch) {
    last_batch_ = batch.size();
    if (acknowledge_early_) hub::answer(batch.take());
    const bool changed = batch.changed();
    const auto before = steady_clock::now();
    if (!batch.commit(database_.next_commit())) return recover(batch);
    window_ = std::min<steady_clock::duration>(steady_clock::now() - before, longest_window);
    if (changed) database_.committed();
    hub::answer(batch.take());
}

void Writer::recover(Batch& batch) {
    const auto lost = *database_.connection()->lost();
    auto calls = batch.take();
    if (lost.damage != Damage::file) return run_alone(std::move(calls), lost.error);

    const bool reserve = lost.error.reason == "storage_full" && database_.release_reserve();
    const auto outcome = reopen(lost.error);
    if (outcome == Outcome::kept) return hub::answer(std::move(calls));
    Calls last_words, others;
    for (auto& call : calls) {
        const bool again = reserve && outcome == Outcome::undone && call.may_use_reserve;
        (again ? last_words : others).push_back(std::move(call));
    }
    fail_all(std::move(others), with_outcome(lost.error, outcome));
    if (!last_words.empty()) commit_now(std::move(last_words));
}

// One of them met an error that ends transactions; alone, it harms only itself.
void Writer::run_alone(Calls calls, const schema::Error& error) {
    database_.connection()->rollback();
    if (calls.size() == 1) return fail_all(std::move(calls), error);
    for (auto& call : calls) {
        Calls alone;
        call.failure = nullptr;
        alone.push_back(std::move(call));
        commit_now(std::move(alone));
    }
}

// A copy under way reads through the connection that is about to be closed.
Outcome Writer::reopen(const schema::Error& why) {
    abandon_backups(why);
    return database_.reopen(why);
}

void Writer::abandon_backups(const schema::Error& why) {
    std::scoped_lock lock(mutex_);
    for (auto& backup : backups_) backup.abandon(why);
    backups_.clear();
}

std::optional<Writer::Time> Writer::next_upkeep() {
    const auto now = steady_clock::now();
    {
        std::scoped_lock lock(mutex_);
        if (!backups_.empty()) return now;
    }
    if (database_.wants_checkpoint(true)) return now + idle_time;
    if (database_.full()) return now + room_check;
    return std::nullopt;
}

void Writer::upkeep(bool idle) {
    database_.look_for_room();
    if (const auto failed = database_.checkpoint(idle)) reopen(*failed);
    if (!database_.connection()) return abandon_backups(*database_.refuses(false));
    std::unique_lock lock(mutex_);
    if (backups_.empty()) return;
    auto& backup = backups_.front();
    lock.unlock();
    if (!backup.step(*database_.connection())) return;
    lock.lock();
    backups_.pop_front();
}

void Writer::end() {
    abandon_backups(schema::failed("closed", "The store is closed."));
    database_.close();
    std::scoped_lock lock(mutex_);
    ended_ = true;
    for (auto& waiter : closing_) hub::answer(hub::StorageCall{nullptr, std::move(waiter)});
}

}  // namespace plexus::storage
