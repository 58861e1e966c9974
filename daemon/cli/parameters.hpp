// From the words of the command line to the parameters of a call, checked against the method's live schema.
#pragma once

#include "daemon/cli/json_schema.hpp"
#include "daemon/cli/words.hpp"

namespace plexus::cli {

// `method` is its MethodSchema; null means nothing is known about it and nothing is refused. All problems
// come in one error, with names as they are typed.
schema::Result<Json> parameters(const Words& words, const Json& method);

}  // namespace plexus::cli
