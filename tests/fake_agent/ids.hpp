// Made-up ids in the shapes the real ones have.
#pragma once

#include <string>

namespace plexus::fake_agent {

std::string new_uuid();
std::string new_id(const char* prefix);  // "msg_01", "toolu_01", "req_01" and 24 hexadecimal digits
std::string now_text();                  // 2026-11-18T05:07:19.778Z

}  // namespace plexus::fake_agent
