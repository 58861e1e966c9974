// Which Plexus backends there are: this one, and those that were registered. synapse finds its way by it.
#pragma once

#include "hub/activation.hpp"
#include "hub/ids.hpp"

namespace plexus::registry {

struct Backend {
    hub::Uuid id{};
    std::string name, host;
    std::uint16_t port = 0;
    std::string protocol;
    std::optional<std::string> description, namespace_;
    std::string source = "manual";
    bool is_active = true;
    std::int64_t registered_at = 0, created_at = 0, updated_at = 0;
};
DESCRIBE(Backend, (id, "Of this entry"), (name, "Unique"), (host, "Where it listens"),
         (port, "Where it listens"), (protocol, "ws or wss"), (description, "What it is for"),
         (namespace_, "Its hub's name"), (source, "auto (this daemon) or manual"),
         (is_active, "Shown by default"), (registered_at, "Unix seconds"), (created_at, "Unix seconds"),
         (updated_at, "Unix seconds"))

struct RegisterParams {
    std::string name, host;
    std::uint16_t port = 0;
    std::string protocol = "ws";
    std::optional<std::string> description, namespace_;
};
DESCRIBE(RegisterParams, (name, "Unique; registering it again replaces it"), (host, "Where it listens"),
         (port, "Where it listens"), (protocol, "ws or wss", defaulted), (description, "What it is for"),
         (namespace_, "Its hub's name"))

struct UpdateParams {
    std::string name;
    std::optional<std::string> host;
    std::optional<std::uint16_t> port;
    std::optional<std::string> protocol, description, namespace_;
};
DESCRIBE(UpdateParams, (name, "Of the backend to change"), (host, "New value"), (port, "New value"),
         (protocol, "New value"), (description, "New value"), (namespace_, "New value"))

struct NameParams {
    std::string name;
};
DESCRIBE(NameParams, (name, "Of the backend"))

struct ListParams {
    bool active_only = true;
};
DESCRIBE(ListParams, (active_only, "Leave out inactive ones", defaulted))

struct Backends {
    static constexpr std::string_view tag = "backends";
    std::vector<Backend> backends;
};
DESCRIBE(Backends, (backends, "This daemon first"))

struct OneBackend {
    static constexpr std::string_view tag = "backend";
    std::optional<Backend> backend;
};
DESCRIBE(OneBackend, (backend, "null when there is none of that name", nullable))

struct Registered {
    static constexpr std::string_view tag = "backend_registered";
    Backend backend;
};
DESCRIBE(Registered, (backend, "As stored"))

struct Updated {
    static constexpr std::string_view tag = "backend_updated";
    Backend backend;
};
DESCRIBE(Updated, (backend, "As stored"))

struct Deleted {
    static constexpr std::string_view tag = "backend_deleted";
    std::string name;
};
DESCRIBE(Deleted, (name, "Of what was forgotten"))

class Registry : public hub::Activation {
public:
    Registry(const hub::Clock& clock, hub::Ids& ids);
    // This daemon's own entry; never stored, because its port may change with every start.
    void announce(std::string name, std::string host, std::uint16_t port);

private:
    hub::awaitable<Registered> register_backend(RegisterParams params);
    hub::awaitable<Backends> list(ListParams params);
    hub::awaitable<OneBackend> get(NameParams params);
    hub::awaitable<Updated> update(UpdateParams params);
    hub::awaitable<Deleted> remove(NameParams params);
    Backend& existing(const std::string& name);

    const hub::Clock& clock_;
    hub::Ids& ids_;
    std::vector<Backend> backends_;
};

}  // namespace plexus::registry
