// scripts/bench store: durable appends per second through the storage port, by callers that wait for their
// answer, against a bare SQLite loop with the same rows and against one transaction per event; then what an
// append costs as the file grows. bench_store DIRECTORY CONFIG [ROWS]: grows to so many (1 000 000).
#include "daemon/storage/sqlite.hpp"
#include "hub/log.hpp"
#include "tests/bench/raw_store.hpp"
#include "tests/bench/server_process.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace plexus;
using namespace plexus::bench;
using hub::awaitable;
using hub::Transaction;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int rounds = 7;
constexpr double round_seconds = 0.5;
constexpr std::int64_t window = 10'000;

const hub::Statement insert_event{"insert_event", insert_event_sql};
const hub::Statement move_head{"move_head", move_head_sql};

class Store {
public:
    explicit Store(const std::string& directory)
        : migrations_(storage::migrations().begin(), storage::migrations().end()) {
        migrations_.push_back({9999, "bench", heads_table});
        storage::Options options;
        options.directory = directory + "/state";
        options.migrations = migrations_;
        file_ = options.directory / "plexus.db";
        storage_ = storage::open_sqlite(options);
    }

    // As many callers, each with one write under way, until `enough` says so. How many events were answered.
    template <class Enough>
    std::int64_t run(int waiting, Enough enough) {
        const auto before = events_;
        boost::asio::io_context loop(1);
        {
            hub::TaskGroup callers(loop.get_executor());
            for (int chain = 0; chain < waiting; ++chain)
                callers.spawn([this, chain, &enough]() -> awaitable<void> {
                    while (!enough()) co_await append(chain % most_chains);
                });
            loop.run();
        }
        return events_ - before;
    }

    double rate(int waiting) {
        const auto start = Clock::now();
        const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
        const auto events = run(waiting, [&] { return elapsed() >= round_seconds; });
        return static_cast<double>(events) / elapsed();
    }

    std::int64_t events() const { return events_; }
    double bytes_per_event() {
        storage_.reset();
        return static_cast<double>(std::filesystem::file_size(file_)) / static_cast<double>(events_);
    }

private:
    awaitable<void> append(std::int64_t chain) {
        co_await storage_->write([event = feed_.next(chain)](Transaction& transaction) {
            transaction.execute(insert_event, event.id, event.chain, event.seq, event.time, event.checksum,
                                event.payload);
            transaction.execute(move_head, event.chain, event.seq, event.id);
        });
        ++events_;
    }

    std::vector<storage::Migration> migrations_;
    std::filesystem::path file_;
    std::unique_ptr<hub::Storage> storage_;
    Feed feed_;
    std::int64_t events_ = 0;
};

double median(std::vector<double> all) {
    std::ranges::sort(all);
    return all[all.size() / 2];
}

void compare(const std::string& directory) {
    Store store(directory);
    RawStore raw(directory);
    std::printf("waiting     ours/s  raw loop/s  one each/s   ours/raw  ours/one each\n");
    for (const int waiting : {1, 16, 128}) {
        std::vector<double> ours, together, alone;
        for (int round = 0; round < rounds; ++round) {
            ours.push_back(store.rate(waiting));
            together.push_back(raw.run(waiting, round_seconds));
            alone.push_back(raw.run(1, round_seconds));
        }
        const auto a = median(ours), b = median(together), c = median(alone);
        std::printf("%7d  %9.0f  %10.0f  %10.0f   %8.2f  %13.2f\n", waiting, a, b, c, a / b, a / c);
        std::fflush(stdout);
    }
}

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void grow(const std::string& directory, std::int64_t rows) {
    Store store(directory + "/grown");
    double first = 0;
    std::printf("      rows  CPU us/append  ratio to the first\n");
    for (std::int64_t size = 10'000; size <= rows; size *= 10) {
        store.run(128, [&] { return store.events() >= size - window / 2; });
        const auto before = cpu_seconds();
        const auto events =
            store.run(128, [&, end = store.events() + window] { return store.events() >= end; });
        const auto each = (cpu_seconds() - before) / static_cast<double>(events) * 1e6;
        if (first == 0) first = each;
        std::printf("%10lld  %13.2f  %18.2f\n", static_cast<long long>(size), each, each / first);
        std::fflush(stdout);
    }
    std::printf("bytes on disk per event of 300: %.0f\n", store.bytes_per_event());
}

}  // namespace

int main(int argc, char** argv) {
    hub::log::start(hub::log::Level::warn, false);
    const auto directory = temporary_directory();
    compare(directory);
    grow(directory, argc > 3 ? std::atoll(argv[3]) : 1'000'000);
    std::filesystem::remove_all(directory);
}
