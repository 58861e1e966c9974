// The hub's questions (confirm, prompt, select, custom) put to a person, or answered without one.
#pragma once

#include "daemon/cli/terminal.hpp"
#include "schema/error.hpp"

namespace plexus::cli {

// What is answered when nobody can be asked: the default the question brings along, else `cancelled`.
schema::Json answer_alone(const schema::Json& request);

// The text to show, and the answer a typed line means: nothing when the line makes no sense. Pure.
std::string question_text(const schema::Json& request);
std::optional<schema::Json> answer_from(const schema::Json& request, const std::string& line);

// Asks until the answer makes sense; the end of input means `cancelled`.
hub::awaitable<schema::Json> answer_at(Terminal& terminal, schema::Json request);

}  // namespace plexus::cli
