// An activation is a named, versioned set of methods. Registering a member function is all it takes:
// its signature says how to decode the parameters, what it returns, whether it streams and whether it asks.
//
//     method("once", "Echo a message once", Scope::read, &Echo::once);
//
// Everything here belongs to the loop thread.
#pragma once

#include "hub/handle.hpp"
#include "hub/method.hpp"

#include <map>
#include <memory>

namespace plexus::hub {

// Runs a call and turns whatever it throws, cancellation too, into an Error. The only catch on the
// request path; afterwards the caller may await again, to clean up or to send its last word.
awaitable<schema::Result<void>> guarded(awaitable<void> call);

// Throws unauthenticated or forbidden.
void require(const Caller& caller, Scope scope);

class Activation;

// What a path leads to.
struct Target {
    std::shared_ptr<Activation> keeper;  // a dynamic child lives as long as the call to it
    const Method* method = nullptr;
    std::vector<std::string> provenance;  // namespaces, from the activation that was asked to the producer
    std::optional<Json> params;           // replaces the caller's: `arbor.tree_get.schema` names its method
};

class Activation {
public:
    Activation(std::string name, std::string version, std::string about);
    virtual ~Activation() = default;
    Activation(const Activation&) = delete;

    const std::string& name() const { return name_; }
    const std::string& version() const { return version_; }
    const std::string& about() const { return about_; }
    PluginId id() const { return plugin_id(name_, version_); }
    const std::vector<Method>& methods() const { return methods_; }
    const Method* find_method(std::string_view name) const;

    // `path` is relative to this activation: `once`, `schema`, `session.work.chat`, `jupiter.io.info`.
    awaitable<Target> route(std::string path);

    // Children known from the start, sorted by name; none for a leaf.
    virtual std::vector<Activation*> children() const { return {}; }
    virtual Activation* find_child(std::string_view) const { return nullptr; }

    // Resolves a handle this activation owns; refuses handle versions it does not understand.
    awaitable<Json> resolve(Handle handle);
    // Many at once, answered in order; override where one read can fetch them all.
    virtual awaitable<std::vector<schema::Result<Json>>> resolve_all(std::vector<Handle> handles);
    // The owner of a plugin id here or anywhere below.
    Activation* find_owner(PluginId plugin);

    // PluginSchema of wire.md §9: this layer in full, children as summaries. Cached: children never change.
    const Json& schema() const;
    const std::string& hash() const;

protected:
    template <class F>
    void method(std::string name, std::string about, Scope scope, F function) {
        add(make_method(static_cast<typename Signature<F>::Self*>(this), std::move(name), std::move(about),
                        scope, function));
    }
    // A method of a shape that no signature can say (the hub's own).
    void add(Method method);
    // Callable, but not listed in the schema.
    void add_builtin(Method method);
    const Method* find_builtin(std::string_view name) const;
    // Children that exist as data: `<gate>.<id or name>.…`, `<gate> {"name"}` and `<list_method> {}`.
    void gate(std::string name, std::string about, std::string list_method, Scope scope);
    // Domain failures are sent as a datum {"type":"error",…} too, before the terminal error:
    // clients made from upstream's schemas look at the first datum only.
    void tell_failures_as_data() { failures_as_data_ = true; }

    // What stands behind the gate: null when there is nothing of that id or exact name.
    virtual awaitable<std::shared_ptr<Activation>> dynamic_child(std::string name);
    virtual awaitable<std::vector<std::string>> dynamic_children();
    // How this activation is described when it is such a child itself.
    virtual Json as_child() const;

    virtual awaitable<Json> resolve_handle(Handle handle);
    virtual std::vector<std::string> handle_versions() const { return {version_}; }
    Handle make_handle(std::string kind, std::vector<std::string> meta) const;

private:
    void add_common_builtins();
    awaitable<std::optional<Target>> route_to_child(std::string path);
    awaitable<std::shared_ptr<Activation>> child_behind_gate(std::string& path);
    awaitable<void> describe_child(Json params, Outlet& outlet);
    awaitable<void> list_children(Json params, Outlet& outlet);
    Json schema_asked_for(const Json& params) const;
    Json hashes() const;
    Json make_schema() const;

    std::string name_, version_, about_;
    std::vector<Method> methods_;                          // as listed in the schema
    std::map<std::string, Method, std::less<>> builtins_;  // callable everywhere, listed nowhere but `schema`
    std::string gate_;                                     // empty: no dynamic children
    bool failures_as_data_ = false;
    mutable Json schema_;  // made on first use
};

}  // namespace plexus::hub
