#include "tests/fake_agent/ids.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>

namespace plexus::fake_agent {

namespace {

std::string hex(int digits) {
    static std::mt19937_64 source{std::random_device{}()};
    std::string text;
    while (static_cast<int>(text.size()) < digits) {
        std::array<char, 17> part{};
        std::snprintf(part.data(), part.size(), "%016llx", static_cast<unsigned long long>(source()));
        text += part.data();
    }
    return text.substr(0, static_cast<std::size_t>(digits));
}

}  // namespace

std::string new_uuid() {
    auto text = hex(32);
    text[12] = '4';
    text[16] = '8';
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
    return text;
}

std::string new_id(const char* prefix) { return prefix + hex(24); }

std::string now_text() {
    const auto now = std::chrono::system_clock::now();
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    const auto n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text.data() + n, text.size() - n, ".%03dZ", static_cast<int>(ms));
    return text.data();
}

}  // namespace plexus::fake_agent
