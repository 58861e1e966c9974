// Whether the hub is well, in the words public clients know.
#pragma once

#include "hub/activation.hpp"
#include "hub/clock.hpp"

namespace plexus::health {

struct Status {
    static constexpr std::string_view tag = "status";
    std::string status;
    std::int64_t uptime_seconds = 0, timestamp = 0;
    std::string version;
    std::vector<std::string> problems;
};
DESCRIBE(Status, (status, "healthy or degraded"), (uptime_seconds, "Since the daemon started"),
         (timestamp, "Unix seconds"), (version, "Of the daemon"),
         (problems, "Why it is degraded, a sentence each"))

// Each part that can be unwell reports in a sentence, or with an empty text when all is well.
using Probe = std::function<hub::awaitable<std::string>()>;

class Health : public hub::Activation {
public:
    explicit Health(const hub::Clock& clock);
    void watch(Probe probe) { probes_.push_back(std::move(probe)); }

private:
    hub::awaitable<Status> check(hub::NoParams);

    const hub::Clock& clock_;
    std::chrono::steady_clock::time_point started_;
    std::vector<Probe> probes_;
};

}  // namespace plexus::health
