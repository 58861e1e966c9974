// CRC-32C (Castagnoli) of stored payloads. SQLite sees few flipped bits in row content; a checksum a row sees
// nearly all. Pass the previous sum as `seed` to chain rows: a missing or swapped one then shows as well.
#pragma once

#include <cstdint>
#include <string_view>

namespace plexus::hub {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

}  // namespace plexus::hub
