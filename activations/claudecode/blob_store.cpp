#include "activations/claudecode/blob_store.hpp"

namespace plexus::claudecode {

using hub::Statement;

namespace {

#define BLOB_COLUMNS \
    "id, blob_type, node, data, details, cli_uuid, tokens_in, tokens_out, cost_usd, created_at"

StoredBlob read_blob(const hub::Row& row) {
    return {row.get<Uuid>(0),
            row.get<std::string>(1),
            row.get<Uuid>(2),
            row.get<std::string>(3),
            row.get<std::optional<std::string>>(4),
            row.get<std::optional<std::string>>(5),
            row.get<std::optional<std::int64_t>>(6),
            row.get<std::optional<std::int64_t>>(7),
            row.get<std::optional<double>>(8),
            row.integer(9)};
}

}  // namespace

void BlobStore::add(const StoredBlob& blob) {
    static const Statement insert("blob_insert", "INSERT INTO claudecode_blobs (" BLOB_COLUMNS
                                                 ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    sql_.execute(insert, blob.id, blob.type, blob.node, blob.data, blob.details, blob.cli_uuid,
                 blob.tokens_in, blob.tokens_out, blob.cost_usd, blob.created_at);
}

void BlobStore::set_data(Uuid id, const std::string& data) {
    static const Statement update("blob_set_data", "UPDATE claudecode_blobs SET data = $2 WHERE id = $1");
    sql_.execute(update, id, data);
}

void BlobStore::set_usage(Uuid id, const ChatUsage& usage) {
    static const Statement update(
        "blob_set_usage",
        "UPDATE claudecode_blobs SET tokens_in = $2, tokens_out = $3, cost_usd = $4 WHERE id = $1");
    sql_.execute(update, id, usage.input_tokens, usage.output_tokens, usage.cost_usd);
}

std::optional<StoredBlob> BlobStore::find(Uuid id) {
    static const Statement by_id("blob_by_id", "SELECT " BLOB_COLUMNS " FROM claudecode_blobs WHERE id = $1");
    auto rows = sql_.query(by_id, id);
    return rows.next() ? std::optional(read_blob(*rows)) : std::nullopt;
}

std::optional<StoredBlob> BlobStore::with_cli_uuid(const std::string& cli_uuid) {
    static const Statement by_uuid(
        "blob_by_cli_uuid", "SELECT " BLOB_COLUMNS " FROM claudecode_blobs WHERE cli_uuid = $1 LIMIT 1");
    auto rows = sql_.query(by_uuid, cli_uuid);
    return rows.next() ? std::optional(read_blob(*rows)) : std::nullopt;
}

}  // namespace plexus::claudecode
