// What an agent gets to see of our environment: a list of names, never "everything but". The daemon's own
// settings and secrets stay out, and so does the mark that makes the CLI think it runs inside itself.
#pragma once

#include "hub/process.hpp"

namespace plexus::process {

hub::Environment own_environment();

// `own` filtered by the list, then `additions` from the configuration file over it. CLAUDECODE and PLEXUS_*
// never pass, whoever asks for them.
hub::Environment agent_environment(const hub::Environment& own, const hub::Environment& additions = {});

}  // namespace plexus::process
