#include "activations/health/health.hpp"

namespace plexus::health {

Health::Health(const hub::Clock& clock)
    : Activation("health", "1.0.0", "Check hub health and uptime"), clock_(clock), started_(clock.steady()) {
    auto check =
        hub::make_method(this, "check", "Check hub health and uptime", hub::Scope::read, &Health::check);
    check.content_type = "health.status";  // what public clients look for
    add(std::move(check));
}

hub::awaitable<Status> Health::check(hub::NoParams) {
    Status status;
    for (const auto& probe : probes_)
        if (auto problem = co_await probe(); !problem.empty()) status.problems.push_back(std::move(problem));
    status.status = status.problems.empty() ? "healthy" : "degraded";
    status.uptime_seconds = (clock_.steady() - started_) / std::chrono::seconds(1);
    status.timestamp = clock_.seconds();
    status.version = PLEXUS_VERSION;
    co_return status;
}

}  // namespace plexus::health
