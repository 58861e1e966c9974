#include "daemon/storage/migrate.hpp"

#include "hub/log.hpp"

#include <openssl/sha.h>

#include <vector>

namespace plexus::storage {

namespace {

using hub::Statement;
using schema::Failure;

const Statement has_history{"has_history", "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'"};
const Statement read_history{"read_history",
                             "SELECT version, name, checksum FROM schema_migrations ORDER BY version"};
const Statement record{"record",
                       "INSERT INTO schema_migrations (version, name, checksum, applied_at) "
                       "VALUES ($1, $2, $3, CAST(strftime('%s', 'now') AS INTEGER))"};
const Statement check_references{"check_references", "PRAGMA foreign_key_check"};

struct Applied {
    int version;
    std::string name;
    std::string checksum;
};

std::string sha256(std::string_view text) {
    unsigned char sum[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum);
    std::string hex;
    for (const unsigned char byte : sum) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

std::vector<Applied> history(Connection& connection) {
    std::vector<Applied> applied;
    if (!connection.query(has_history).next()) return applied;
    for (const auto& row : connection.query(read_history))
        applied.push_back({row.get<int>(0), row.get<std::string>(1), row.get<std::string>(2)});
    return applied;
}

void compare(const Applied& applied, const Migration& step) {
    if (applied.version == step.version && applied.name == step.name && applied.checksum == sha256(step.sql))
        return;
    throw Failure(schema::failed("schema_changed",
                                 "The database was made with another version of migration " +
                                     std::to_string(applied.version) + " (" + applied.name +
                                     ") than this program has; use the program that made it.",
                                 {{"version", applied.version}}));
}

void apply(Connection& connection, const Migration& step) try {
    connection.begin();
    connection.script(std::string(step.sql).c_str());
    if (connection.query(check_references).next())
        throw Failure(schema::failed("conflict", "rows refer to others that are not there"));
    connection.execute(record, step.version, step.name, sha256(step.sql));
    connection.commit();
    hub::log::info("database migrated", {{"version", step.version}, {"name", std::string(step.name)}});
} catch (const Failure& failure) {
    connection.rollback();
    throw Failure(schema::failed("migration_failed",
                                 "Migration " + std::to_string(step.version) + " (" + std::string(step.name) +
                                     ") failed and was undone: " + failure.what(),
                                 {{"version", step.version}, {"reason", failure.error().reason}}));
}

}  // namespace

void migrate(Connection& connection, std::span<const Migration> steps) {
    const auto applied = history(connection);
    if (applied.size() > steps.size())
        throw Failure(schema::failed("schema_newer",
                                     "The database is of version " + std::to_string(applied.back().version) +
                                         ", newer than this program knows; use a newer program.",
                                     {{"version", applied.back().version}}));
    for (std::size_t i = 0; i < applied.size(); ++i) compare(applied[i], steps[i]);
    if (applied.size() == steps.size()) return;
    // A step may rebuild a table that others refer to; what it leaves is checked as a whole before its
    // commit.
    connection.script("PRAGMA foreign_keys = OFF");
    for (const auto& step : steps.subspan(applied.size())) apply(connection, step);
    connection.script("PRAGMA foreign_keys = ON");
}

}  // namespace plexus::storage
