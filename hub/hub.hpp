// A hub is an activation made of activations. Because it is one itself, hubs nest to any depth:
// `solar.jupiter.io.info` and a handle owned three levels down both find their way by recursion.
#pragma once

#include "hub/activation.hpp"
#include "hub/questions.hpp"

namespace plexus::hub {

class Hub : public Activation {
public:
    Hub(std::string name, std::string version, std::string about);

    // Throws std::logic_error for a name that is taken or cannot be a path segment.
    template <class Child, class... Args>
    Child& add(Args&&... args) {
        auto child = std::make_unique<Child>(std::forward<Args>(args)...);
        auto& added = *child;
        adopt(std::move(child), true);
        return added;
    }
    // Reachable, but not part of the published schema (conformance helpers).
    template <class Child, class... Args>
    void add_hidden(Args&&... args) {
        adopt(std::make_unique<Child>(std::forward<Args>(args)...), false);
    }
    // Another name under which this hub answers at the head of a path.
    void also_known_as(std::string alias) { aliases_.push_back(std::move(alias)); }
    bool is_called(std::string_view name) const;

    // What `.call` does: routes, checks the caller's scope, runs.
    awaitable<void> invoke(std::string path, Json params, Outlet& outlet);

    // Whoever owns the handle, here or below; `handle_not_found` style errors per wire.md §6.1.
    awaitable<Json> resolve_anywhere(Handle handle);
    awaitable<std::vector<schema::Result<Json>>> resolve_anywhere(std::vector<Handle> handles);

    std::vector<Activation*> children() const override;
    Activation* find_child(std::string_view name) const override;

private:
    struct Entry {
        std::unique_ptr<Activation> child;
        bool listed;
    };
    using Activation::add;  // methods; children are added by the template above
    void adopt(std::unique_ptr<Activation> child, bool listed);
    awaitable<void> call(Json params, Outlet& outlet);
    awaitable<void> resolve_one(Json params, Outlet& outlet);
    awaitable<void> resolve_list(Json params, Outlet& outlet);
    awaitable<void> resolve_many(Json params, Outlet& outlet);
    void require_someone(const Caller& caller, const std::string& path, const Json& params) const;
    Activation& owner_of(const Handle& handle);

    std::map<std::string, Entry, std::less<>> children_;  // sorted, so hashes are the same after every start
    std::vector<std::string> aliases_;
};

// The outermost hub: also says who it is, and takes the answers to questions.
class RootHub : public Hub {
public:
    RootHub(std::string name, std::string version, std::string about);
    Questions& questions() { return questions_; }

private:
    Questions questions_;
};

}  // namespace plexus::hub
