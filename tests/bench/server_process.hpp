// A server started for a benchmark: runs until destroyed, tells its port and what it uses.
#pragma once

#include <string>
#include <vector>

namespace plexus::bench {

class ServerProcess {
public:
    // Waits for a line that ends in ":PORT" or holds ":PORT " on the server's stdout.
    explicit ServerProcess(std::vector<std::string> argv);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;

    unsigned short port() const { return port_; }
    double ready_ms() const { return ready_ms_; }
    double cpu_seconds() const;
    long resident_kb() const;

private:
    int pid_ = -1, output_ = -1;
    unsigned short port_ = 0;
    double ready_ms_ = 0;
};

std::string temporary_directory();

}  // namespace plexus::bench
