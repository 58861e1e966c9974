#include "hub/checksum.hpp"

#include <array>
#include <cstring>

namespace plexus::hub {

namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        auto value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82f63b78U : 0U);
        table[i] = value;
    }
    return table;
}

std::uint32_t by_table(std::string_view bytes, std::uint32_t sum) {
    static constexpr auto table = make_table();
    for (const char byte : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xff];
    return sum;
}

#ifdef __x86_64__
[[gnu::target("sse4.2")]] std::uint32_t by_instruction(std::string_view bytes, std::uint32_t sum) {
    std::uint64_t wide = sum;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    sum = static_cast<std::uint32_t>(wide);
    for (const char byte : bytes) sum = __builtin_ia32_crc32qi(sum, static_cast<std::uint8_t>(byte));
    return sum;
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) {
#ifdef __x86_64__
    static const bool hardware = __builtin_cpu_supports("sse4.2");
    if (hardware) return ~by_instruction(bytes, ~seed);
#endif
    return ~by_table(bytes, ~seed);
}

}  // namespace plexus::hub
