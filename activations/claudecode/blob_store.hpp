// What claudecode's handles point at, in the database. Synchronous, on a storage thread.
#pragma once

#include "activations/claudecode/usage.hpp"
#include "hub/sql.hpp"
#include "schema/uuid.hpp"

namespace plexus::claudecode {

using schema::Json;
using schema::Uuid;

struct StoredBlob {
    Uuid id{};
    std::string type;
    Uuid node{};
    std::string data;  // JSON text
    std::optional<std::string> details, cli_uuid;
    std::optional<std::int64_t> tokens_in, tokens_out;
    std::optional<double> cost_usd;
    std::int64_t created_at = 0;
};

class BlobStore {
public:
    explicit BlobStore(hub::Transaction& transaction) : sql_(transaction) {}
    void add(const StoredBlob& blob);
    void set_data(Uuid id, const std::string& data);
    void set_usage(Uuid id, const ChatUsage& usage);
    std::optional<StoredBlob> find(Uuid id);
    std::optional<StoredBlob> with_cli_uuid(const std::string& cli_uuid);

private:
    hub::Transaction& sql_;
};

}  // namespace plexus::claudecode
