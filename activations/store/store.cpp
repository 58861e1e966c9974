#include "activations/store/store.hpp"

namespace plexus::store {

using hub::awaitable;
using hub::Scope;

Store::Store(hub::Storage& storage)
    : Activation("store", "1.0.0", "Look after the database"), storage_(storage) {
    tell_failures_as_data();
    method("status", "Tell how the store is", Scope::read, &Store::status);
    method("backup", "Copy the database while it is in use", Scope::admin, &Store::backup);
    method("check", "Look for damage", Scope::admin, &Store::check);
}

awaitable<Status> Store::status(hub::NoParams) { co_return Status{co_await storage_.health()}; }

awaitable<BackedUp> Store::backup(BackupParams params) {
    if (!params.path.starts_with('/'))
        throw schema::Failure(schema::invalid_params("/path must be absolute, not " + params.path));
    co_await storage_.backup(params.path);
    co_return BackedUp{std::move(params.path)};
}

awaitable<Checked> Store::check(CheckParams params) {
    auto report = co_await storage_.check(params.deep);
    co_return Checked{report.ok, std::move(report.problems)};
}

}  // namespace plexus::store
