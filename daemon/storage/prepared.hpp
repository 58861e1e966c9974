// A statement prepared on one connection, kept for the connection's life; also the cursor over its rows.
#pragma once

#include "hub/sql.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <memory>
#include <vector>

namespace plexus::storage {

class Connection;

class Prepared final : public hub::Rows::Source {
public:
    Prepared(Connection& connection, const hub::Statement& statement);

    // Runs to the end; how many rows it changed.
    std::int64_t run(std::span<const hub::Value> values);
    hub::Rows select(std::span<const hub::Value> values);
    bool busy() const { return busy_; }
    bool made_from(const hub::Statement& statement) const { return sql_ == statement.sql.data(); }

    bool next() override;
    void done() noexcept override;
    bool is_null(int column) const override { return statement_.isColumnNull(column); }
    std::int64_t integer(int column) const override { return statement_.getColumn(column).getInt64(); }
    double real(int column) const override { return statement_.getColumn(column).getDouble(); }
    std::string_view text(int column) const override;
    hub::Blob blob(int column) const override;

    // A second cursor over the same statement, for a query inside the loop over its own rows.
    std::unique_ptr<Prepared> spare;

private:
    struct Parameter {
        int position;      // of $1, $2 … among SQLite's own numbers, which count by first appearance
        std::string held;  // the bytes SQLite reads: a temporary among the values dies before the last row
    };

    void bind(std::span<const hub::Value> values);
    void bind(Parameter& parameter, const hub::Value& value);
    void hold(Parameter& parameter, std::string_view bytes);
    bool step();

    Connection& connection_;
    std::string_view name_;
    const char* sql_;
    SQLite::Statement statement_;
    std::vector<Parameter> parameters_;
    bool changes_structure_;
    bool busy_ = false;
};

}  // namespace plexus::storage
