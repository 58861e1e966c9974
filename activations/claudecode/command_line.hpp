// How the CLI is started for a session: fixed flags, every value its own token and checked. Prompts, system
// prompts and anything else people write go over stdin, never here. Pure.
#pragma once

#include "activations/claudecode/session.hpp"

namespace plexus::claudecode {

struct Entry {
    std::string session_id;  // the CLI's, new or known
    std::string resume;      // a session id or a transcript's path; empty: a new session
    bool fork = false;       // leave the resumed session as it is
};

std::vector<std::string> command_line(const std::string& binary, const Session& session, const Entry& entry,
                                      const std::string& mcp_config_file);

// Throw invalid_params that names the field.
void require_model(const std::string& model);
void require_name(const std::string& name, std::string_view field);
void require_tools(const std::vector<std::string>& tools, std::string_view field);

// Lines for the CLI's stdin, each ending in a newline.
std::string prompt_line(const std::string& content, const std::string& uuid);
std::string control_line(const std::string& request_id, const Json& request);
std::string answer_line(const std::string& request_id, const Json& response);
std::string error_line(const std::string& request_id, const std::string& error);
Json initialize_request(const Settings& settings);

}  // namespace plexus::claudecode
