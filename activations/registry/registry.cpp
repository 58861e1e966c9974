#include "activations/registry/registry.hpp"

#include <algorithm>

namespace plexus::registry {

using hub::awaitable;
using hub::Scope;
using schema::Failure;

namespace {

template <class T>
void set_if_given(T& field, const std::optional<T>& value) {
    if (value) field = *value;
}

}  // namespace

Registry::Registry(const hub::Clock& clock, hub::Ids& ids)
    : Activation("registry", "1.0.0", "Know which Plexus backends there are"), clock_(clock), ids_(ids) {
    tell_failures_as_data();
    method("register", "Remember a backend", Scope::admin, &Registry::register_backend);
    method("list", "List known backends", Scope::read, &Registry::list);
    method("get", "Look up a backend by name", Scope::read, &Registry::get);
    method("update", "Change a backend's entry", Scope::admin, &Registry::update);
    method("delete", "Forget a backend", Scope::admin, &Registry::remove);
}

void Registry::announce(std::string name, std::string host, std::uint16_t port) {
    const auto now = clock_.seconds();
    backends_.insert(backends_.begin(), Backend{ids_.next(), name, std::move(host), port, "ws", "This daemon",
                                                name, "auto", true, now, now, now});
}

Backend& Registry::existing(const std::string& name) {
    const auto found = std::ranges::find(backends_, name, &Backend::name);
    if (found == backends_.end()) throw Failure(schema::not_found("No backend is called " + name));
    return *found;
}

awaitable<Registered> Registry::register_backend(RegisterParams params) {
    const auto now = clock_.seconds();
    const auto found = std::ranges::find(backends_, params.name, &Backend::name);
    if (found != backends_.end() && found->source == "auto")
        throw Failure(schema::failed("already_exists", params.name + " is this daemon itself"));
    Backend backend{ids_.next(),
                    params.name,
                    params.host,
                    params.port,
                    params.protocol,
                    params.description,
                    params.namespace_,
                    "manual",
                    true,
                    now,
                    now,
                    now};
    if (found != backends_.end()) *found = backend;
    else backends_.push_back(backend);
    co_return Registered{std::move(backend)};
}

awaitable<Backends> Registry::list(ListParams params) {
    Backends result;
    for (const auto& backend : backends_)
        if (backend.is_active || !params.active_only) result.backends.push_back(backend);
    co_return result;
}

awaitable<OneBackend> Registry::get(NameParams params) {
    const auto found = std::ranges::find(backends_, params.name, &Backend::name);
    co_return OneBackend{found == backends_.end() ? std::nullopt : std::optional(*found)};
}

awaitable<Updated> Registry::update(UpdateParams params) {
    auto& backend = existing(params.name);
    set_if_given(backend.host, params.host);
    set_if_given(backend.port, params.port);
    set_if_given(backend.protocol, params.protocol);
    if (params.description) backend.description = params.description;
    if (params.namespace_) backend.namespace_ = params.namespace_;
    backend.updated_at = clock_.seconds();
    co_return Updated{backend};
}

awaitable<Deleted> Registry::remove(NameParams params) {
    if (existing(params.name).source == "auto")
        throw Failure(
            schema::failed("conflict", params.name + " is this daemon itself and cannot be forgotten"));
    std::erase_if(backends_, [&](const auto& backend) { return backend.name == params.name; });
    co_return Deleted{std::move(params.name)};
}

}  // namespace plexus::registry
