#include "daemon/storage/sqlite.hpp"

#include "daemon/storage/writer.hpp"

namespace plexus::storage {

namespace {

using hub::awaitable;

const hub::Statement quick_check{"quick_check", "PRAGMA quick_check(100)"};
const hub::Statement integrity_check{"integrity_check", "PRAGMA integrity_check(100)"};
const hub::Statement reference_check{"reference_check", "PRAGMA foreign_key_check"};

hub::StorageReport inspect(hub::Transaction& transaction, bool deep) {
    hub::StorageReport report;
    try {
        for (const auto& row : transaction.query(deep ? integrity_check : quick_check))
            if (row.text(0) != "ok") report.problems.emplace_back(row.text(0));
        if (deep)
            for (const auto& row : transaction.query(reference_check))
                report.problems.push_back("row " + std::to_string(row.integer(1)) + " of " +
                                          std::string(row.text(0)) + " refers to a row of " +
                                          std::string(row.text(2)) + " that is not there");
    } catch (const schema::Failure& failure) {
        if (failure.error().reason != "corrupt") throw;
        report.problems.emplace_back(failure.what());
    }
    report.ok = report.problems.empty();
    return report;
}

class SqliteStorage final : public hub::Storage {
public:
    explicit SqliteStorage(const Options& options) : writer_(options) {}

    awaitable<hub::StorageHealth> health() override { co_return writer_.health(); }

    awaitable<void> backup(std::string path) override {
        return hub::suspend(
            [this, path = std::move(path)](hub::Waiter waiter) { writer_.backup(path, std::move(waiter)); });
    }

    awaitable<hub::StorageReport> check(bool deep) override {
        return read([deep](hub::Transaction& transaction) { return inspect(transaction, deep); },
                    hub::Effort::large);
    }

    awaitable<void> close() override {
        return hub::suspend([this](hub::Waiter waiter) { writer_.close(std::move(waiter)); });
    }

private:
    void submit(Access access, hub::StorageCall call) noexcept override {
        switch (access) {
            case Access::read:
                return writer_.read(std::move(call), Lane::quick);
            case Access::read_large:
                return writer_.read(std::move(call), Lane::slow);
            case Access::write:
            case Access::write_reserve:
                return writer_.write(std::move(call));
        }
    }

    Writer writer_;
};

}  // namespace

std::unique_ptr<hub::Storage> open_sqlite(const Options& options) {
    return std::make_unique<SqliteStorage>(options);
}

}  // namespace plexus::storage
