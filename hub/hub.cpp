#include "hub/hub.hpp"

#include <algorithm>

namespace plexus::hub {

using schema::Code;
using schema::Error;
using schema::Failure;

namespace {

struct CallParams {
    std::string method;
    Json params = nullptr;
};
DESCRIBE(CallParams, (method, "Dotted path, as in arbor.tree_list"), (params, "Of that method", defaulted))

struct ResolveParams {
    Handle handle;
};
DESCRIBE(ResolveParams, (handle, "Any handle owned here or below"))

struct ResolveManyParams {
    std::vector<Handle> handles;
};
DESCRIBE(ResolveManyParams, (handles, "Handles owned here or below; answered in this order"))

struct RespondParams {
    std::string request_id;
    Json response_data = nullptr;
};
DESCRIBE(RespondParams, (request_id, "Of the request item"), (response_data, "The answer", defaulted))

template <class Params, class Run>
Method own_method(std::string name, std::string about, Run run) {
    Method method;
    method.name = std::move(name);
    method.about = std::move(about);
    method.scope = Scope::read;
    method.fields = describe(std::type_identity<Params>{}).fields;
    if (!method.fields.empty()) method.params = schema::json_schema<Params>();
    method.run = std::move(run);
    return method;
}

Json failure_datum(const Error& error) {
    return {{"type", "error"},
            {"message", "Failed to resolve handle: " + error.message},
            {"code", std::to_string(static_cast<int>(error.code))},
            {"reason", error.reason}};
}

}  // namespace

Hub::Hub(std::string name, std::string version, std::string about)
    : Activation(std::move(name), std::move(version), std::move(about)) {
    // `call` itself asks for nothing: what it leads to has its own scope.
    auto routed = own_method<CallParams>("call", "Route a call to any method below this hub",
                                         [this](Json p, Outlet& o) { return call(std::move(p), o); });
    routed.scope = Scope::open;
    routed.streaming = true;
    add(std::move(routed));
    const auto builtin = [this](const char* which) {
        return [this, which](Json p, Outlet& o) {
            return Activation::find_builtin(which)->run(std::move(p), o);
        };
    };
    add(own_method<NoParams>("hash", "Get the hash of this hub's schema", builtin("hash")));
    add(own_method<NoParams>("hashes", "Get the hashes of this hub and its children", builtin("hashes")));
    add(own_method<ResolveParams>("resolve_handle", "Fetch what a handle points at, whoever owns it",
                                  [this](Json p, Outlet& o) { return resolve_one(std::move(p), o); }));
    add(own_method<ResolveManyParams>("resolve_handles", "Fetch what many handles point at, in order",
                                      [this](Json p, Outlet& o) { return resolve_many(std::move(p), o); }));
}

void Hub::adopt(std::unique_ptr<Activation> child, bool listed) {
    const auto& name = child->name();
    if (name.empty() || name.find('.') != name.npos)
        throw std::logic_error("`" + name + "` cannot be a path segment");
    if (is_called(name) || children_.contains(name))
        throw std::logic_error("two activations are called " + name);
    children_.emplace(name, Entry{std::move(child), listed});
}

bool Hub::is_called(std::string_view name) const {
    return name == this->name() || std::ranges::find(aliases_, name) != aliases_.end();
}

std::vector<Activation*> Hub::children() const {
    std::vector<Activation*> list;
    for (const auto& [_, entry] : children_)
        if (entry.listed) list.push_back(entry.child.get());
    return list;
}

Activation* Hub::find_child(std::string_view name) const {
    const auto found = children_.find(name);
    return found == children_.end() ? nullptr : found->second.child.get();
}

awaitable<void> Hub::invoke(std::string path, Json params, Outlet& outlet) {
    const auto dot = path.find('.');
    if (dot != path.npos && is_called(std::string_view(path).substr(0, dot))) path.erase(0, dot + 1);

    require_someone(outlet.caller(), path, params);
    auto target = co_await route(std::move(path));
    require(outlet.caller(), target.method->scope);
    outlet.adopt(target);
    co_await target.method->run(target.params ? std::move(*target.params) : std::move(params), outlet);
}

// Who has shown no credential learns who answers here, and nothing else: not even what does not exist.
void Hub::require_someone(const Caller& caller, const std::string& path, const Json& params) const {
    if (!caller.scopes.empty() || path == "_info") return;
    const auto* inner = path == "call" && params.is_object() && params.contains("method")
                            ? params["method"].get_ptr<const std::string*>()
                            : nullptr;
    if (!inner || *inner != name() + "._info") require(caller, Scope::read);
}

awaitable<void> Hub::call(Json params, Outlet& outlet) {
    auto wanted = decoded<CallParams>(std::move(params));
    if (wanted.method.find('.') == wanted.method.npos)
        throw Failure({Code::invalid_params, "invalid_method_format",
                       "Invalid params: Invalid method format: " + schema::clipped(wanted.method)});
    co_await invoke(std::move(wanted.method), std::move(wanted.params), outlet);
}

Activation& Hub::owner_of(const Handle& handle) {
    if (auto* owner = find_owner(handle.plugin)) return *owner;
    throw Failure({Code::method_not_found, "activation_not_found",
                   "Activation not found: nobody here owns plugin " + schema::to_text(handle.plugin),
                   Json{{"plugin_id", schema::to_text(handle.plugin)}}});
}

awaitable<Json> Hub::resolve_anywhere(Handle handle) {
    auto& owner = owner_of(handle);
    return owner.resolve(std::move(handle));
}

// Each owner is asked once, for all of its handles.
awaitable<std::vector<schema::Result<Json>>> Hub::resolve_anywhere(std::vector<Handle> handles) {
    std::vector<std::optional<schema::Result<Json>>> found(handles.size());
    std::map<Activation*, std::vector<std::size_t>> by_owner;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (auto* owner = find_owner(handles[i].plugin)) by_owner[owner].push_back(i);
        else
            found[i].emplace(
                boost::system::in_place_error,
                Error{Code::method_not_found, "activation_not_found",
                      "Activation not found: nobody here owns plugin " + schema::to_text(handles[i].plugin)});
    }
    for (auto& [owner, places] : by_owner) {
        std::vector<Handle> wanted;
        for (const auto place : places) wanted.push_back(handles[place]);
        auto resolved = co_await owner->resolve_all(std::move(wanted));
        for (std::size_t i = 0; i < places.size(); ++i) found[places[i]].emplace(std::move(resolved[i]));
    }
    std::vector<schema::Result<Json>> results;
    for (auto& result : found) results.push_back(std::move(*result));
    co_return results;
}

awaitable<void> Hub::resolve_one(Json params, Outlet& outlet) {
    if (params.is_object() && params.contains("handles"))
        co_return co_await resolve_list(std::move(params), outlet);
    Json resolved;
    std::string owner = name();
    const auto resolve_it = [&]() -> awaitable<void> {
        auto wanted = decoded<ResolveParams>(std::move(params));
        owner = owner_of(wanted.handle).name();
        resolved = co_await resolve_anywhere(std::move(wanted.handle));
    };
    const auto outcome = co_await guarded(resolve_it());
    auto error = outcome ? Error{} : outcome.error();
    if (error.reason == "invalid_params") error.reason = "invalid_handle";
    co_await outlet.send(schema::to_json_text(outcome ? resolved : failure_datum(error)),
                         owner + ".resolve_handle");
    if (!outcome) throw Failure(std::move(error));
}

// One datum per handle, in order; what cannot be resolved is told in its place.
awaitable<void> Hub::resolve_list(Json params, Outlet& outlet) {
    const auto handles = decoded<ResolveManyParams>(std::move(params)).handles;
    const auto results = co_await resolve_anywhere(handles);
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto* owner = find_owner(handles[i].plugin);
        co_await outlet.send(
            schema::to_json_text(results[i] ? *results[i] : failure_datum(results[i].error())),
            (owner ? owner->name() : name()) + ".resolve_handle");
    }
}

awaitable<void> Hub::resolve_many(Json params, Outlet& outlet) {
    auto wanted = decoded<ResolveManyParams>(std::move(params));
    const auto results = co_await resolve_anywhere(std::move(wanted.handles));
    Json list = Json::array();
    for (const auto& result : results) list.push_back(result ? *result : failure_datum(result.error()));
    const Json content = {{"type", "resolved"}, {"results", std::move(list)}};
    co_await outlet.send(schema::to_json_text(content));
}

RootHub::RootHub(std::string name, std::string version, std::string about)
    : Hub(std::move(name), std::move(version), std::move(about)) {
    auto info = own_method<NoParams>(
        "_info", "Say who answers here", [this](Json, Outlet& outlet) -> awaitable<void> {
            const Json content = {{"backend", this->name()}, {"version", this->version()}};
            co_await outlet.send(content.dump());
        });
    info.scope = Scope::open;
    info.content_type = "_info";
    add_builtin(std::move(info));
    auto respond =
        own_method<RespondParams>("respond", "Answer a question a running method asked",
                                  [this](Json p, Outlet& outlet) -> awaitable<void> {
                                      auto given = decoded<RespondParams>(std::move(p));
                                      questions_.answer(given.request_id, std::move(given.response_data));
                                      co_await outlet.send(R"({"success":true})");
                                  });
    add_builtin(std::move(respond));
}

}  // namespace plexus::hub
