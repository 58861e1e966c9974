// A JSON value as a person likes to read it: a tag and its fields, tables for lists of alike things.
#pragma once

#include "daemon/cli/text.hpp"
#include "schema/error.hpp"

namespace plexus::cli {

// Ends with a line break. Control characters in the data are made visible.
std::string human(const schema::Json& value, const Paint& paint, std::size_t indent = 0);

}  // namespace plexus::cli
