// How a turn ended, told truthfully: from the `result` line, the errors the CLI printed on the way, and
// the way the process ended. Pure.
#pragma once

#include "activations/claudecode/cli_message.hpp"
#include "activations/claudecode/events.hpp"

#include <optional>
#include <string>

namespace plexus::claudecode {

struct TurnError {
    ErrorKind kind = ErrorKind::protocol;
    std::string message;
    std::optional<std::int64_t> resets_at;
    std::optional<std::int64_t> api_status;
    std::optional<std::int64_t> exit;
    std::optional<std::int64_t> signal;
    std::optional<std::string> stderr_tail;
};

// No error: the turn is complete.
using Outcome = std::optional<TurnError>;

struct ProcessEnd {
    std::optional<int> exit;
    std::optional<int> signal;
    std::string stderr_tail;
};

// What is known about a turn when it ends.
struct Evidence {
    struct ApiError {
        std::string error;  // the CLI's word: rate_limit, authentication_failed, ...
        std::string text;
        std::optional<std::int64_t> status;
    };
    bool session_started = false;            // the CLI got as far as a first `init`
    bool answered = false;                   // at least one block was committed
    bool garbage = false;                    // something on stdout was not the protocol
    std::optional<ApiError> api_error;       // the CLI gave up on this one
    std::optional<ApiError> retrying;        // the CLI was still trying again
    std::optional<std::int64_t> resets_at;   // when a limit ends, if the CLI said so
    std::optional<ErrorKind> asked_to_stop;  // interrupted or cancelled, by one of our own callers
};

Outcome judge_result(const Evidence& evidence, const ResultLine& result);
// There was no result line. Never an answer.
TurnError judge_end(const Evidence& evidence, const ProcessEnd& end);

ErrorEvent error_event(const TurnError& error);

}  // namespace plexus::claudecode
