// scripts/bench rpc: calls per second of the daemon's echo.once (three frames an answer) against a bare Beast
// echo, in interleaved rounds of one run. The ratio is what counts; absolute numbers move with the machine.
#include "tests/bench/load.hpp"
#include "tests/bench/server_process.hpp"

#include <algorithm>
#include <cstdio>

using namespace plexus::bench;

namespace {

constexpr int rounds = 5;
const std::string call =
    R"({"jsonrpc":"2.0","id":1,"method":"substrate.call","params":{"method":"echo.once","params":{"message":"hello, hub"}}})";

Measured median(std::vector<Measured> all) {
    std::ranges::sort(all, {}, &Measured::calls_per_second);
    return all[all.size() / 2];
}

void compare(unsigned short bare, unsigned short daemon, int connections, int depth) {
    std::vector<Measured> baseline, ours;
    for (int round = 0; round < rounds; ++round) {
        baseline.push_back(run_load({bare, connections, depth, 1, call, 0.6}));
        ours.push_back(run_load({daemon, connections, depth, 3, call, 0.6}));
    }
    const auto a = median(baseline), b = median(ours);
    std::printf("%5d x %-3d  %9.0f/s %7.0f/%-7.0f  %9.0f/s %7.0f/%-7.0f  %5.2f\n", connections, depth,
                a.calls_per_second, a.p50_us, a.p99_us, b.calls_per_second, b.p50_us, b.p99_us,
                b.calls_per_second / a.calls_per_second);
    std::fflush(stdout);
}

}  // namespace

int main(int, char** argv) {
    const std::string directory = argv[1];
    const ServerProcess bare({directory + "/bare_beast_echo"});
    const ServerProcess daemon(
        {directory + "/plexusd", "--port", "0", "--state-dir", temporary_directory(), "--config", argv[2]});
    std::printf(
        "conns x depth      bare Beast echo  p50/p99 us         plexusd echo.once  p50/p99 us   ratio\n");
    for (const int depth : {1, 16})
        for (const int connections : {1, 32, 256}) compare(bare.port(), daemon.port(), connections, depth);
}
