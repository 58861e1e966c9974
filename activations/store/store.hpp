// The store as its operator sees it: how it is, a copy of it, and whether it is whole.
#pragma once

#include "hub/activation.hpp"
#include "hub/storage.hpp"

namespace plexus::store {

struct Status {
    static constexpr std::string_view tag = "store_status";
    hub::StorageHealth health;
};
DESCRIBE(Status, (health, "What the engine says of itself"))

struct BackupParams {
    std::string path;
};
DESCRIBE(BackupParams, (path, "Absolute path of a file that does not exist yet"))

struct BackedUp {
    static constexpr std::string_view tag = "backed_up";
    std::string path;
};
DESCRIBE(BackedUp, (path, "Where the consistent copy is"))

struct CheckParams {
    bool deep = false;
};
DESCRIBE(CheckParams, (deep, "Every page and every reference, not the structure only", defaulted))

struct Checked {
    static constexpr std::string_view tag = "checked";
    bool ok = true;
    std::vector<std::string> problems;
};
DESCRIBE(Checked, (ok, "Nothing was found"), (problems, "What was found, a sentence each"))

class Store : public hub::Activation {
public:
    explicit Store(hub::Storage& storage);

private:
    hub::awaitable<Status> status(hub::NoParams);
    hub::awaitable<BackedUp> backup(BackupParams params);
    hub::awaitable<Checked> check(CheckParams params);

    hub::Storage& storage_;
};

}  // namespace plexus::store
