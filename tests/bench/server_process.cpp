#include "tests/bench/server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace plexus::bench {

namespace {

unsigned short port_in(const std::string& line) {
    const auto at = line.find("127.0.0.1:");
    return at == line.npos ? 0 : static_cast<unsigned short>(std::atoi(line.c_str() + at + 10));
}

}  // namespace

ServerProcess::ServerProcess(std::vector<std::string> argv) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::vector<char*> arguments;
    for (auto& argument : argv) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const auto started = std::chrono::steady_clock::now();
    const int failed = posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
    if (failed) throw std::runtime_error("cannot start " + argv[0]);
    std::string line;
    for (char c; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
    ready_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    port_ = port_in(line);
    if (port_ == 0) throw std::runtime_error(argv[0] + " said: " + line);
}

ServerProcess::~ServerProcess() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ::close(output_);
}

double ServerProcess::cpu_seconds() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int i = 0; i < 11; ++i) fields >> field;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

long ServerProcess::resident_kb() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    return 0;
}

std::string temporary_directory() {
    std::string name = "/tmp/plexus-bench-XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    return name;
}

}  // namespace plexus::bench
