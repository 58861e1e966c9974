// The lines of stdout, one function each, in the shapes of the real CLI 2.1.326. Pure but for the ids they
// make.
#pragma once

#include "tests/fake_agent/options.hpp"
#include "tests/fake_agent/wire.hpp"

namespace plexus::fake_agent {

inline constexpr auto cli_version = "2.1.326";

struct Usage {
    long input = 0;
    long output = 0;
    double cost() const { return static_cast<double>(input) * 4e-6 + static_cast<double>(output) * 20e-6; }
};

struct Session {
    Options options;
    std::string model;
    std::string permission_mode;
    Usage total;      // of this process
    int results = 0;  // printed so far
};

// How a turn ended; the default is a good answer.
struct Outcome {
    std::string subtype = "success";
    std::string terminal_reason = "completed";
    Json stop_reason = "end_turn";
    bool is_error = false;
    std::string text;
    Json errors = nullptr;
    Json api_error_status = nullptr;
    Json denials = Json::array();
    Usage usage;
    int api_messages = 1;
    long duration_ms = 0;
    std::vector<std::string> prompts;  // the uuids the client gave
};

Json init(const Session& session);
Json status(const Session& session, const std::vector<std::string>& prompts);
Json replay(const Session& session, const Json& content, const std::string& uuid);
Json lifecycle(const Session& session, const std::string& prompt, const char* state);
Json state_changed(const Session& session, const char* state);
Json stream_event(const Session& session, Json event, const std::string& message);
Json message_start(const Session& session, const std::string& message, const Usage& usage);
Json assistant(const Session& session, const std::string& message, Json block, const Usage& usage);
Json user(const Session& session,
          Json content);  // not from the client: tool results, "[Request interrupted…"
Json tool_result(const Session& session, const std::string& tool, const Json& content, bool is_error,
                 Json structured);
Json api_retry(const Session& session, int attempt, int retries, int status);
Json api_error(const Session& session, int status);  // the synthetic assistant line
Json result(const Session& session, const Outcome& outcome);
Json mirror(const Session& session, Json entries);

Json control_success(const std::string& request, Json response);
Json control_error(const std::string& request, const std::string& text, const char* code);

const char* error_name(int status);
std::string error_text(int status);

}  // namespace plexus::fake_agent
