// What can go wrong, as a value: the code and reason a program acts on, one sentence for a person,
// and data that says which field, which id, which limit.
//
// Pure functions return Result<T>. Coroutines call .value() on it or throw Failure;
// hub::guarded() is the one place that turns a Failure back into an Error.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace plexus::schema {

using Json = nlohmann::json;

// The numbers public Plexus clients know. -32001 is never "overloaded": they read it as "log in".
enum class Code {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    unauthenticated = -32001,
    forbidden = -32003,
    overloaded = -32029,
    failed = -32000,
};

struct Error {
    Code code = Code::failed;
    std::string reason = "internal";
    std::string message;
    Json data = nullptr;
    bool recoverable = false;  // the same request may succeed later
    bool told = false;         // its datum is already part of the stream; only the ending is missing
};

template <class T>
using Result = boost::system::result<T, Error>;

class Failure : public std::runtime_error {
public:
    explicit Failure(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
    const Error& error() const noexcept { return error_; }

private:
    Error error_;
};

// Found by boost::system::result when value() is asked of an error.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
    throw Failure(error);
}

// What a caller wrote, as far as it may be repeated in a sentence.
inline std::string clipped(std::string_view text, std::size_t limit = 100) {
    while (text.size() > limit && limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80)
        --limit;
    return text.size() > limit ? std::string(text.substr(0, limit)) + "…" : std::string(text);
}

// The errors that are made in many places. `reason` is what a program switches on.
inline Error failed(std::string reason, std::string message, Json data = nullptr) {
    return {Code::failed, std::move(reason), std::move(message), std::move(data)};
}
inline Error not_found(std::string message, Json data = nullptr) {
    return failed("not_found", std::move(message), std::move(data));
}
inline Error invalid_params(std::string message, Json data = nullptr) {
    return {Code::invalid_params, "invalid_params", "Invalid params: " + std::move(message), std::move(data)};
}
inline Error overloaded(std::string message, Json data = Json::object()) {
    data["retryable"] = true;
    return {Code::overloaded, "overloaded", std::move(message), std::move(data), true};
}

}  // namespace plexus::schema
