// The command line of the real CLI, as far as it changes what is printed. Unknown flags are ignored: a client
// that passes a new one must not fail here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plexus::fake_agent {

struct Options {
    bool show_version = false;
    bool show_help = false;
    std::string input_format = "text";
    std::string output_format = "text";
    bool verbose = false;
    bool partial = false;       // --include-partial-messages
    bool replay = false;        // --replay-user-messages
    bool mirror = false;        // --session-mirror
    bool ask_on_stdio = false;  // --permission-prompt-tool stdio
    bool bypass = false;        // --dangerously-skip-permissions
    bool fork = false;
    std::string model = "claude-opus-5-5";
    std::string permission_mode = "default";
    std::string session_id;  // chosen by the client, or resumed, or made up
    std::string resumed;
    std::string resumed_at;
    std::string prompt;  // positional; ignored with --input-format stream-json, as the real one does
};

// Throws std::runtime_error with the sentence the real CLI prints before it exits 1.
Options parse(const std::vector<std::string>& arguments);

bool is_uuid(const std::string& text);

}  // namespace plexus::fake_agent
