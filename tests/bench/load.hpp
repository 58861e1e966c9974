// A WebSocket client that asks as fast as it is answered: N connections, each with `depth` calls under way.
// Raw sockets and hand-made frames, so that the client is never the bottleneck.
#pragma once

#include <string>
#include <vector>

namespace plexus::bench {

struct Load {
    unsigned short port = 0;
    int connections = 1;
    int depth = 1;
    int frames_per_call = 1;  // how many frames make a complete answer
    std::string request;      // one text message
    double seconds = 1;
};

struct Measured {
    double calls_per_second = 0, p50_us = 0, p99_us = 0;
};

Measured run_load(const Load& load);

// Opens idle WebSocket connections and keeps them until destroyed.
class IdleConnections {
public:
    IdleConnections(unsigned short port, int count);
    ~IdleConnections();

private:
    std::vector<int> sockets_;
};

}  // namespace plexus::bench
