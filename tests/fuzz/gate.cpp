// Any header text at the gate: without a credential of ours nobody gets a scope.
#include "daemon/net/gate.hpp"

#include <cstdlib>
#include <sstream>

using namespace plexus;

namespace {

struct StillClock : hub::Clock {
    std::chrono::system_clock::time_point now() const override { return {}; }
    std::chrono::steady_clock::time_point steady() const override { return {}; }
    hub::awaitable<void> sleep(std::chrono::steady_clock::duration) override { co_return; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static StillClock clock;
    static const auto directory = [] {
        char name[] = "/tmp/plexus-fuzz-XXXXXX";
        return std::string(::mkdtemp(name));
    }();
    static net::Credentials credentials(directory, clock, [](std::span<std::uint8_t> bytes) {
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(std::rand());
    });
    static net::Gate gate({net::AuthMode::automatic, {"127.0.0.1:4444"}, {"http://127.0.0.1:4444"}, 1000},
                          credentials);

    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    net::Knock knock;
    std::string host, origin;
    for (auto* field : {&knock.method, &knock.path, &knock.query, &host, &origin, &knock.fetch_site,
                        &knock.authorization, &knock.cookie, &knock.protocols, &knock.content_type})
        std::getline(lines, *field);
    knock.hosts = {host};
    if (!origin.empty()) knock.origins = {origin};
    knock.upgrade = size % 2 == 0;
    net::Peer stranger;
    stranger.loopback = true;
    stranger.uid = 4711;
    if (!gate.judge(knock, stranger).caller.scopes.empty()) std::abort();
    return 0;
}
