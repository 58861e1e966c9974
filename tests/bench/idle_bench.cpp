// scripts/bench idle: what an idle WebSocket connection costs, and how long a start takes.
#include "tests/bench/load.hpp"
#include "tests/bench/server_process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

using namespace plexus::bench;

int main(int, char** argv) {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    const std::string directory = argv[1];

    std::vector<double> starts;
    for (int i = 0; i < 9; ++i)
        starts.push_back(ServerProcess({directory + "/plexusd", "--port", "0", "--state-dir",
                                        temporary_directory(), "--config", argv[2]})
                             .ready_ms());
    std::ranges::sort(starts);
    std::printf("start to ready, empty state: median %.1f ms, worst of 9 %.1f ms\n", starts[4], starts[8]);

    for (const int count : {1000, 10'000}) {
        const ServerProcess daemon({directory + "/plexusd", "--port", "0", "--state-dir",
                                    temporary_directory(), "--config", argv[2]});
        const auto before = daemon.resident_kb();
        const IdleConnections idle(daemon.port(), count);
        ::usleep(300'000);
        std::printf("%6d idle connections: %.2f kB each\n", count,
                    static_cast<double>(daemon.resident_kb() - before) / count);
        std::fflush(stdout);
    }
}
