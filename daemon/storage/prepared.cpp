#include "daemon/storage/prepared.hpp"

#include "daemon/storage/connection.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>

namespace plexus::storage {

namespace {

constexpr std::size_t largest_kept = 1 << 16;  // a rare huge value is not held until the next one comes

std::string first_word(std::string_view sql) {
    std::string word;
    sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n"), sql.size()));
    for (const char letter : sql) {
        if (!std::isalpha(static_cast<unsigned char>(letter))) break;
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return word;
}

// SQLite's counter of changes sees rows only.
bool changes_structure(std::string_view sql) {
    const auto word = first_word(sql);
    return word == "CREATE" || word == "DROP" || word == "ALTER";
}

SQLite::Statement prepare(Connection& connection, const hub::Statement& statement) try {
    return SQLite::Statement(connection.database(), std::string(statement.sql));
} catch (const SQLite::Exception& failure) {
    throw schema::Failure(connection.met(failure.getExtendedErrorCode(), statement.name));
}

}  // namespace

Prepared::Prepared(Connection& connection, const hub::Statement& statement)
    : connection_(connection),
      name_(statement.name),
      sql_(statement.sql.data()),
      statement_(prepare(connection, statement)),
      changes_structure_(changes_structure(statement.sql)) {
    for (int i = 1; i <= statement_.getBindParameterCount(); ++i) {
        const int position = statement_.getIndex(("$" + std::to_string(i)).c_str());
        assert(position > 0 && "parameters are $1, $2 … without gaps");
        parameters_.push_back({position, {}});
    }
}

std::int64_t Prepared::run(std::span<const hub::Value> values) {
    struct Done {
        Prepared& prepared;
        ~Done() { prepared.done(); }
    } done{*this};
    const auto& database = connection_.database();
    const int before = database.getTotalChanges();
    bind(values);
    while (step()) {
    }
    if (changes_structure_) connection_.note_structural_change();
    return database.getTotalChanges() == before ? 0 : database.getChanges();
}

hub::Rows Prepared::select(std::span<const hub::Value> values) {
    bind(values);
    busy_ = true;
    return hub::Rows(*this);
}

bool Prepared::next() { return !statement_.isDone() && step(); }

bool Prepared::step() {
    const int code = statement_.tryExecuteStep();
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw schema::Failure(connection_.met(code, name_));
    return code == SQLITE_ROW;
}

void Prepared::done() noexcept {
    statement_.tryReset();
    for (auto& parameter : parameters_)
        if (parameter.held.capacity() > largest_kept) parameter.held = {};
    busy_ = false;
}

void Prepared::bind(std::span<const hub::Value> values) try {
    assert(values.size() == parameters_.size() && "as many values as parameters");
    for (std::size_t i = 0; i < values.size(); ++i) bind(parameters_[i], values[i]);
} catch (const SQLite::Exception& failure) {
    throw schema::Failure(connection_.met(failure.getExtendedErrorCode(), name_));
}

void Prepared::bind(Parameter& parameter, const hub::Value& value) {
    const int at = parameter.position;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        statement_.bind(at, *integer);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
        hold(parameter, *text);
        statement_.bindNoCopy(at, parameter.held);
    } else if (const auto* blob = std::get_if<hub::Blob>(&value)) {
        hold(parameter, {reinterpret_cast<const char*>(blob->data()), blob->size()});
        statement_.bindNoCopy(at, parameter.held.data(), static_cast<int>(blob->size()));
    } else if (const auto* real = std::get_if<double>(&value)) {
        statement_.bind(at, *real);
    } else {
        statement_.bind(at);
    }
}

void Prepared::hold(Parameter& parameter, std::string_view bytes) {
    if (!std::in_range<int>(bytes.size())) throw schema::Failure(connection_.met(SQLITE_TOOBIG, name_));
    parameter.held.assign(bytes);
}

std::string_view Prepared::text(int column) const {
    const auto value = statement_.getColumn(column);
    const char* data = value.getText();
    return {data, static_cast<std::size_t>(value.getBytes())};
}

hub::Blob Prepared::blob(int column) const {
    const auto value = statement_.getColumn(column);
    const auto* data = static_cast<const std::uint8_t*>(value.getBlob());
    return {data, static_cast<std::size_t>(value.getBytes())};
}

}  // namespace plexus::storage
