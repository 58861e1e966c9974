#include "activations/claudecode/outcome.hpp"

#include "activations/claudecode/json_text.hpp"

#include <charconv>

namespace plexus::claudecode {
namespace {

using enum ErrorKind;

// `overloaded` is every failure on the API's side of the line that may pass: 5xx, no connection, cut streams.
ErrorKind kind_of_status(std::int64_t status) {
    if (status == 401 || status == 403) return auth;
    if (status == 402) return credit;
    if (status == 413) return context_too_long;
    if (status == 429) return rate_limited;
    if (status >= 500) return overloaded;
    return protocol;
}

ErrorKind kind_of(const Evidence::ApiError& error) {
    if (error.error == "authentication_failed" || error.error == "oauth_org_not_allowed") return auth;
    if (error.error == "billing_error") return credit;
    if (error.error == "rate_limit") return rate_limited;
    if (error.error == "overloaded" || error.error == "server_error") return overloaded;
    if (error.error == "max_output_tokens") return context_too_long;
    if (error.status) return kind_of_status(*error.status);
    return error.error == "unknown" || error.error.empty() ? overloaded : protocol;
}

// Older versions end the text of a usage limit with "|<seconds since 1970>".
std::optional<std::int64_t> time_in(std::string_view text) {
    const auto bar = text.rfind('|');
    std::int64_t seconds = 0;
    if (bar == std::string_view::npos) return std::nullopt;
    const auto digits = text.substr(bar + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (error != std::errc() || end != digits.data() + digits.size() || seconds < 1'000'000'000)
        return std::nullopt;
    return seconds;
}

TurnError error_of(ErrorKind kind, std::string message) {
    TurnError error;
    error.kind = kind;
    error.message = std::move(message);
    return error;
}

TurnError api_failure(const Evidence& evidence, ErrorKind kind, std::string message,
                      std::optional<std::int64_t> status) {
    auto error = error_of(kind, std::move(message));
    error.api_status = status;
    if (kind == rate_limited)
        error.resets_at = evidence.resets_at ? evidence.resets_at : time_in(error.message);
    return error;
}

bool is_abort(const ResultLine& result) { return result.terminal_reason.starts_with("aborted"); }

std::string first_error(const ResultLine& result) {
    // What the CLI says of an interruption is a diagnostic for its makers.
    for (const auto text : result.errors)
        if (!text.starts_with("[ede_diagnostic]")) return std::string(text);
    return {};
}

TurnError stopped(const Evidence& evidence) {
    const auto kind = evidence.asked_to_stop.value_or(interrupted);
    return error_of(kind, kind == cancelled ? "The turn was cancelled." : "The turn was interrupted.");
}

// The limits a caller sets are told by the subtype, whatever else went on.
std::optional<ErrorKind> limit_reached(const ResultLine& result) {
    if (result.subtype == "error_max_turns" || result.terminal_reason == "max_turns") return max_turns;
    if (result.subtype == "error_max_budget_usd" || result.terminal_reason == "budget_exhausted")
        return budget;
    return std::nullopt;
}

TurnError failed_result(const Evidence& evidence, const ResultLine& result) {
    const auto& seen = evidence.api_error;
    auto text = std::string(result.text);
    if (text.empty() && seen) text = seen->text;
    if (text.empty()) text = first_error(result);
    if (text.empty()) text = "The turn failed and the CLI did not say why.";
    auto status = result.api_status;
    if (!status && seen) status = seen->status;

    if (const auto limit = limit_reached(result)) return error_of(*limit, text);
    if (result.terminal_reason == "prompt_too_long" || result.terminal_reason == "image_error")
        return api_failure(evidence, context_too_long, text, status);
    if (seen) return api_failure(evidence, kind_of({seen->error, seen->text, status}), text, status);
    if (status) return api_failure(evidence, kind_of_status(*status), text, status);
    if (!evidence.session_started) return error_of(spawn, text);
    return error_of(result.terminal_reason == "api_error" ? overloaded : crashed, text);
}

std::string last_line(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

std::string how_it_ended(const ProcessEnd& end) {
    if (end.signal) return "was killed by signal " + std::to_string(*end.signal);
    if (end.exit) return "exited with code " + std::to_string(*end.exit);
    return "closed its output";
}

// What the CLI writes to stderr when it cannot read a line we sent.
bool refused_our_line(std::string_view text) {
    return text.find("Error parsing streaming input line") != text.npos ||
           text.find("Expected message role") != text.npos;
}

ErrorKind kind_of_end(const Evidence& evidence, const ProcessEnd& end) {
    if (evidence.asked_to_stop) return *evidence.asked_to_stop;
    if (evidence.retrying) return kind_of(*evidence.retrying);
    if (refused_our_line(end.stderr_tail)) return protocol;
    if (end.signal || end.exit.value_or(0) > 128) return crashed;  // above 128: by a signal it caught itself
    if (end.exit.value_or(0) != 0) return evidence.session_started ? crashed : spawn;
    return evidence.garbage ? protocol : empty;
}

}  // namespace

Outcome judge_result(const Evidence& evidence, const ResultLine& result) {
    if (is_abort(result)) return stopped(evidence);
    if (result.stop_reason == "refusal")
        return error_of(refusal, result.text.empty() ? "The model refused." : std::string(result.text));
    if (!result.is_error) {
        // num_turns is 0 when nothing was asked of the model: a slash command, a note.
        if (evidence.answered || !result.text.empty() || result.num_turns == 0) return std::nullopt;
        return error_of(empty, "The model gave no answer.");
    }
    return failed_result(evidence, result);
}

TurnError judge_end(const Evidence& evidence, const ProcessEnd& end) {
    auto error = error_of(kind_of_end(evidence, end), "The CLI " + how_it_ended(end) + " without a result");
    const auto tail = to_utf8(end.stderr_tail);
    error.exit = end.exit;
    error.signal = end.signal;
    if (!tail.empty()) error.stderr_tail = tail;
    if (evidence.retrying) {
        error.api_status = evidence.retrying->status;
        if (error.kind == rate_limited) error.resets_at = evidence.resets_at;
        error.message += " while it was retrying the API (" + evidence.retrying->error + ")";
    }
    if (const auto said = last_line(tail); !said.empty()) error.message += ": " + said;
    else error.message += ".";
    return error;
}

ErrorEvent error_event(const TurnError& error) {
    ErrorEvent event;
    event.message = error.message;
    event.kind = error.kind;
    event.resets_at = error.resets_at;
    event.api_status = error.api_status;
    event.exit = error.exit;
    event.signal = error.signal;
    event.stderr_tail = error.stderr_tail;
    return event;
}

}  // namespace plexus::claudecode
