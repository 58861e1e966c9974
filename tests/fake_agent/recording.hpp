// Plays back what the real CLI once printed: FAKE_AGENT_RECORDING=folder with stdout.jsonl and, where there
// is one, stdin.jsonl, timeline.jsonl, stderr.txt and exit_code.
//
// A line is printed when the client has sent what came before it then, and after the same pause. Ids the
// client chooses (session, prompts, control requests) replace the recorded ones. FAKE_AGENT_SPEED=0 leaves
// out pauses.
#pragma once

#include "tests/fake_agent/options.hpp"

namespace plexus::fake_agent {

int play_recording(const std::string& folder, const Options& options);

}  // namespace plexus::fake_agent
