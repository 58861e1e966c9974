// The hash that schemas, and through them client caches, are known by: SipHash-1-3 with a zero key over
// each string followed by 0xFF, as sixteen lower-case hex digits. The same after every restart and rebuild.
#pragma once

#include <string>
#include <vector>

namespace plexus::schema {

std::string hash_of(const std::vector<std::string>& parts);

}  // namespace plexus::schema
