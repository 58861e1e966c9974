// SHA-256, for what must not be changed unseen. Pure.
#pragma once

#include <string>
#include <string_view>

namespace plexus::schema {

std::string sha256(std::string_view text);      // 32 bytes
std::string sha256_hex(std::string_view text);  // 64 digits

}  // namespace plexus::schema
