#include "schema/hash.hpp"

#include <bit>
#include <cstdint>

namespace plexus::schema {

namespace {

class SipHash13 {
public:
    void add(std::uint8_t byte) {
        word_ |= std::uint64_t(byte) << (8 * (length_++ % 8));
        if (length_ % 8 == 0) absorb();
    }

    std::uint64_t finish() {
        word_ |= (length_ & 0xff) << 56;
        absorb();
        v2_ ^= 0xff;
        for (int i = 0; i < 3; ++i) round();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }

private:
    void absorb() {
        v3_ ^= word_;
        round();
        v0_ ^= word_;
        word_ = 0;
    }

    void round() {
        v0_ += v1_, v1_ = std::rotl(v1_, 13) ^ v0_, v0_ = std::rotl(v0_, 32);
        v2_ += v3_, v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ += v3_, v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ += v1_, v1_ = std::rotl(v1_, 17) ^ v2_, v2_ = std::rotl(v2_, 32);
    }

    std::uint64_t v0_ = 0x736f6d6570736575, v1_ = 0x646f72616e646f6d, v2_ = 0x6c7967656e657261,
                  v3_ = 0x7465646279746573;
    std::uint64_t word_ = 0, length_ = 0;
};

}  // namespace

std::string hash_of(const std::vector<std::string>& parts) {
    SipHash13 hash;
    for (const auto& part : parts) {
        for (const char c : part) hash.add(static_cast<std::uint8_t>(c));
        hash.add(0xff);
    }
    const auto value = hash.finish();
    std::string text(16, '0');
    for (std::size_t i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[(value >> (60 - 4 * i)) & 15];
    return text;
}

}  // namespace plexus::schema
