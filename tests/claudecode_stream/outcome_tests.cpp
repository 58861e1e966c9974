#include "activations/claudecode/outcome.hpp"
#include "activations/claudecode/stream_parser.hpp"

#include <catch2/catch.hpp>

using namespace plexus::claudecode;

namespace {

ResultLine result(StreamParser& parser, const std::string& fields) {
    return std::get<ResultLine>(parser.parse(R"({"type":"result",)" + fields + "}").body);
}

Evidence failed_with(const std::string& error, std::optional<std::int64_t> status = {}) {
    Evidence evidence;
    evidence.session_started = true;
    evidence.api_error = {error, "API Error", status};
    return evidence;
}

}  // namespace

TEST_CASE("the kind of a failed turn follows the error the CLI printed", "[outcome]") {
    StreamParser parser;
    const auto failed =
        result(parser, R"("subtype":"success","is_error":true,"num_turns":1,"result":"API Error")");
    const auto [error, status, kind] = GENERATE(table<std::string, std::int64_t, ErrorKind>({
        {"authentication_failed", 401, ErrorKind::auth},
        {"oauth_org_not_allowed", 403, ErrorKind::auth},
        {"billing_error", 400, ErrorKind::credit},
        {"rate_limit", 429, ErrorKind::rate_limited},
        {"overloaded", 529, ErrorKind::overloaded},
        {"server_error", 500, ErrorKind::overloaded},
        {"max_output_tokens", 0, ErrorKind::context_too_long},
        {"model_not_found", 404, ErrorKind::protocol},
        {"invalid_request", 400, ErrorKind::protocol},
        {"invalid_request", 413, ErrorKind::context_too_long},
        {"unknown", 403, ErrorKind::auth},
        {"unknown", 402, ErrorKind::credit},
        {"unknown", 0, ErrorKind::overloaded},
    }));
    INFO(error << " " << status);
    const auto outcome =
        judge_result(failed_with(error, status ? std::optional(status) : std::nullopt), failed);
    REQUIRE(outcome);
    CHECK(outcome->kind == kind);
    CHECK(outcome->message == "API Error");
}

TEST_CASE("limits, refusals and interruptions are told from the result line", "[outcome]") {
    StreamParser parser;
    Evidence evidence;
    evidence.session_started = true;
    const auto [fields, kind] = GENERATE(table<std::string, ErrorKind>({
        {R"("subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns"])",
         ErrorKind::max_turns},
        {R"("subtype":"error_max_budget_usd","is_error":true)", ErrorKind::budget},
        {R"("subtype":"success","is_error":true,"terminal_reason":"prompt_too_long","api_error_status":400)",
         ErrorKind::context_too_long},
        {R"("subtype":"success","is_error":true,"stop_reason":"refusal","result":"no")", ErrorKind::refusal},
        {R"("subtype":"success","is_error":false,"stop_reason":"refusal")", ErrorKind::refusal},
        {R"("subtype":"success","is_error":false,"terminal_reason":"aborted_streaming","result":"half")",
         ErrorKind::interrupted},
        {R"("subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools")",
         ErrorKind::interrupted},
        {R"("subtype":"error_during_execution","is_error":true,"errors":["boom"])", ErrorKind::crashed},
        {R"("subtype":"success","is_error":false,"num_turns":2,"result":"")", ErrorKind::empty},
        {R"("subtype":"success","is_error":true,"api_error_status":429,"result":"limit reached|1794978464")",
         ErrorKind::rate_limited},
    }));
    INFO(fields);
    const auto outcome = judge_result(evidence, result(parser, fields));
    REQUIRE(outcome);
    CHECK(outcome->kind == kind);
    CHECK_FALSE(outcome->message.empty());
    CHECK(outcome->resets_at.has_value() == (kind == ErrorKind::rate_limited));
}

TEST_CASE("a turn is complete when it has an answer, or when none was asked for", "[outcome]") {
    StreamParser parser;
    Evidence silent, spoken;
    spoken.answered = true;
    CHECK_FALSE(judge_result(spoken, result(parser, R"("is_error":false,"num_turns":1,"result":"")")));
    CHECK_FALSE(judge_result(silent, result(parser, R"("is_error":false,"num_turns":1,"result":"text")")));
    CHECK_FALSE(judge_result(silent, result(parser, R"("is_error":false,"num_turns":0,"result":"")")));
    CHECK(judge_result(spoken, result(parser, R"("subtype":"success","is_error":true,"result":"x")")));
}

TEST_CASE("a cancelled turn is cancelled, unless it was done before the cancel arrived", "[outcome]") {
    StreamParser parser;
    Evidence evidence;
    evidence.session_started = evidence.answered = true;
    evidence.asked_to_stop = ErrorKind::cancelled;
    CHECK(judge_result(evidence, result(parser, R"("is_error":true,"terminal_reason":"aborted_tools")"))
              ->kind == ErrorKind::cancelled);
    CHECK_FALSE(judge_result(evidence, result(parser, R"("is_error":false,"num_turns":1,"result":"x")")));
    CHECK(judge_end(evidence, {std::nullopt, 9, ""}).kind == ErrorKind::cancelled);
}

TEST_CASE("a process that ends without a result is told by how it ended", "[outcome]") {
    Evidence begun, fresh, noisy, retrying;
    begun.session_started = noisy.session_started = retrying.session_started = true;
    noisy.garbage = true;
    retrying.retrying = {"rate_limit", "", 429};
    retrying.resets_at = 1794978464;

    const auto killed = judge_end(begun, {std::nullopt, 9, "first\nlast words\n"});
    CHECK(killed.kind == ErrorKind::crashed);
    CHECK(killed.signal == 9);
    CHECK(killed.stderr_tail == "first\nlast words\n");
    CHECK(killed.message == "The CLI was killed by signal 9 without a result: last words");

    CHECK(judge_end(begun, {1, std::nullopt, ""}).kind == ErrorKind::crashed);
    CHECK(judge_end(fresh, {143, std::nullopt, ""}).kind == ErrorKind::crashed);
    CHECK(judge_end(fresh, {1, std::nullopt, "error: unknown option"}).kind == ErrorKind::spawn);
    CHECK(judge_end(begun, {0, std::nullopt, ""}).kind == ErrorKind::empty);
    CHECK(judge_end(noisy, {0, std::nullopt, ""}).kind == ErrorKind::protocol);
    CHECK(judge_end(fresh, {1, std::nullopt, "Error parsing streaming input line: x"}).kind ==
          ErrorKind::protocol);

    const auto limited = judge_end(retrying, {std::nullopt, 9, ""});
    CHECK(limited.kind == ErrorKind::rate_limited);
    CHECK(limited.resets_at == 1794978464);
    CHECK(limited.api_status == 429);
    CHECK(limited.signal == 9);
}

TEST_CASE("what the CLI wrote to stderr is made fit for JSON", "[outcome]") {
    const auto error = judge_end({}, {1, std::nullopt, "bad \xff byte"});
    CHECK(error.stderr_tail == "bad \xEF\xBF\xBD byte");
    CHECK_NOTHROW(plexus::schema::encode(ChatEvent(error_event(error))).dump());
}
