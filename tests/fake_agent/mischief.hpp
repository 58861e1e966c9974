// What a real agent should never do, and some day will.
#pragma once

#include "tests/fake_agent/turn.hpp"

namespace plexus::fake_agent {

bool misbehave(const std::string& name, Turn& turn, const Json& given);  // false: no such mischief

}  // namespace plexus::fake_agent
