// What a function of a store sees while it runs on a storage thread: statements, values, rows and the
// transaction it stands in. Nothing here knows which engine is behind it.
//
// One SQL text serves SQLite 3.40 and PostgreSQL: parameters are $1, $2 …, ids are 16-byte blobs, truth is an
// integer, upserts are ON CONFLICT, new keys come from RETURNING.
#pragma once

#include "schema/reflect.hpp"

#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace plexus::hub {

using Blob = std::span<const std::uint8_t>;

// Make each one once, `static const`: engines prepare it once per connection and know it by its address.
struct Statement {
    constexpr Statement(std::string_view statement_name, std::string_view text)
        : name(statement_name), sql(text) {}
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    std::string_view name;  // for errors and logs
    std::string_view sql;
};

// Raw bytes in order: std::vector<std::uint8_t>, std::array, schema::Uuid, Blob.
template <class T>
concept Bytes = std::ranges::contiguous_range<const T&> && std::ranges::sized_range<const T&> &&
                std::same_as<std::remove_cv_t<std::ranges::range_value_t<const T&>>, std::uint8_t>;

// A parameter: a view of what the caller holds, for the length of the call.
class Value : public std::variant<std::monostate, std::int64_t, double, std::string_view, Blob> {
public:
    Value() = default;
    Value(std::nullptr_t) {}
    Value(std::nullopt_t) {}
    template <std::integral T>
    Value(T integer) : variant(static_cast<std::int64_t>(integer)) {
        assert(std::in_range<std::int64_t>(
            static_cast<std::conditional_t<std::same_as<T, bool>, int, T>>(integer)));
    }
    template <std::floating_point T>
    Value(T real) : variant(static_cast<double>(real)) {}
    template <class T>
        requires std::convertible_to<const T&, std::string_view>
    Value(const T& text) : variant(std::string_view(text)) {}
    template <Bytes T>
    Value(const T& bytes) : variant(Blob(std::ranges::data(bytes), std::ranges::size(bytes))) {}
    template <class T>
    Value(const std::optional<T>& maybe) : Value(maybe ? Value(*maybe) : Value()) {}
};

// One row of a result. text() and blob() are views that die when the cursor moves on.
class Row {
public:
    virtual bool is_null(int column) const = 0;
    virtual std::int64_t integer(int column) const = 0;
    virtual double real(int column) const = 0;
    virtual std::string_view text(int column) const = 0;
    virtual Blob blob(int column) const = 0;

    // get<schema::Uuid>(0), get<std::string>(1), get<std::optional<std::int64_t>>(2), …
    template <class T>
    T get(int column) const;

protected:
    ~Row() = default;
};

// The result of a query: `for (const auto& row : rows)`, or `if (rows.next()) rows->integer(0)`.
class Rows {
public:
    class Source : public Row {
    public:
        virtual bool next() = 0;
        virtual void done() noexcept = 0;

    protected:
        ~Source() = default;
    };

    explicit Rows(Source& source) : source_(&source) {}
    Rows(Rows&& other) noexcept : source_(std::exchange(other.source_, nullptr)) {}
    Rows& operator=(Rows&&) = delete;
    ~Rows() {
        if (source_) source_->done();
    }

    bool next() { return source_->next(); }
    const Row& operator*() const { return *source_; }
    const Row* operator->() const { return source_; }

    struct Iterator {
        Source* source;
        bool more;
        const Row& operator*() const { return *source; }
        Iterator& operator++() {
            more = source->next();
            return *this;
        }
        bool operator==(std::default_sentinel_t) const { return !more; }
    };
    Iterator begin() { return {source_, source_->next()}; }
    std::default_sentinel_t end() const { return {}; }

private:
    Source* source_;
};

// The transaction a store's function runs in. Throws Failure with reason `conflict` when a constraint says
// no, `storage_full`, `storage_error`, `corrupt` when the disk does.
class Transaction {
public:
    // How many rows it changed.
    template <class... Values>
    std::int64_t execute(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(values)> list{Value(values)...};
        return run(statement, list);
    }

    template <class... Values>
    [[nodiscard]] Rows query(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(values)> list{Value(values)...};
        return select(statement, list);
    }

protected:
    ~Transaction() = default;
    virtual std::int64_t run(const Statement& statement, std::span<const Value> values) = 0;
    virtual Rows select(const Statement& statement, std::span<const Value> values) = 0;
};

template <class T>
T Row::get(int column) const {
    if constexpr (schema::is_optional<T>) {
        if (is_null(column)) return std::nullopt;
        return get<typename T::value_type>(column);
    } else if constexpr (std::same_as<T, bool>) return integer(column) != 0;
    else if constexpr (std::integral<T>) return static_cast<T>(integer(column));
    else if constexpr (std::floating_point<T>) return static_cast<T>(real(column));
    else if constexpr (std::constructible_from<T, std::string_view>) return T(text(column));
    else if constexpr (std::is_trivially_copyable_v<T> && Bytes<T>) {
        const auto bytes = blob(column);
        T value{};
        if (bytes.size() != sizeof(T))
            throw schema::Failure(schema::failed("corrupt", "A stored id has the wrong length."));
        std::memcpy(&value, bytes.data(), sizeof(T));
        return value;
    } else {
        const auto bytes = blob(column);
        return T(bytes.begin(), bytes.end());
    }
}

}  // namespace plexus::hub
