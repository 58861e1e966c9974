// Any text as a configuration: an error that says something, or a configuration that prints and reads back.
#include "daemon/config/config.hpp"

#include <cstdlib>

using namespace plexus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto toml = config::parse_toml({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    if (!toml) {
        if (toml.error().message.empty()) std::abort();
        return 0;
    }
    const auto decoded = config::decode(std::move(*toml), {});
    if (!decoded) return 0;
    const auto printed = schema::encode(*decoded);
    const auto again = config::decode(printed, {});
    if (!again || schema::encode(*again) != printed) std::abort();
    return 0;
}
