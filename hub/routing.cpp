// How a dotted path finds its method, and the methods every activation has without declaring them.
#include "hub/activation.hpp"

#include <algorithm>

namespace plexus::hub {

using schema::Code;
using schema::Error;
using schema::Failure;

namespace {

Error nowhere(std::string reason, std::string message, std::string_view wrong,
              std::vector<std::string_view> known) {
    std::ranges::sort(known);
    Json data = {{"wanted", schema::clipped(wrong)}, {"available", known}};
    return {Code::method_not_found, std::move(reason), std::move(message) + schema::closest(wrong, known),
            std::move(data)};
}

struct ChildParams {
    std::string name;
};
DESCRIBE(ChildParams, (name, "Id or exact name"))

struct ChildDatum {
    static constexpr std::string_view tag = "child";
    std::string namespace_, id, name, path;
};
DESCRIBE(ChildDatum, (namespace_, "Of its schema"), (id, "Its id"), (name, "Its name"),
         (path, "How to reach it"))

struct SearchParams {
    std::string query;
};
DESCRIBE(SearchParams, (query, "Part of a child's name", defaulted))

}  // namespace

void Activation::add_common_builtins() {
    const auto builtin = [this](std::string name, std::string content_type, auto run) {
        Method method;
        method.name = std::move(name);
        method.scope = Scope::read;
        method.content_type = std::move(content_type);
        method.run = std::move(run);
        add_builtin(std::move(method));
    };
    builtin("schema", name_ + ".schema", [this](Json params, Outlet& outlet) -> awaitable<void> {
        co_await outlet.send(schema::to_json_text(schema_asked_for(params)));
    });
    builtin("hash", name_ + ".hash", [this](Json, Outlet& outlet) -> awaitable<void> {
        const Json content = {{"event", "hash"}, {"value", hash()}};
        co_await outlet.send(content.dump());
    });
    builtin("hashes", name_ + ".hashes",
            [this](Json, Outlet& outlet) -> awaitable<void> { co_await outlet.send(hashes().dump()); });
    const auto list = [this](Json params, Outlet& outlet) {
        return list_children(std::move(params), outlet);
    };
    builtin("list_children", "list_children", list);
    builtin("search_children", "search_children", list);
}

void Activation::gate(std::string name, std::string about, std::string list_method, Scope scope) {
    gate_ = name;
    Method child;
    child.name = name;
    child.about = about;
    child.scope = scope;
    child.params = schema::json_schema<ChildParams>();
    child.fields = describe(std::type_identity<ChildParams>{}).fields;
    child.returns = schema::json_schema<ChildDatum>();
    child.role = {{"kind", "dynamic_child"}, {"list_method", list_method}};
    child.run = [this](Json params, Outlet& outlet) { return describe_child(std::move(params), outlet); };
    add(std::move(child));

    Method list;
    list.name = list_method;
    list.scope = scope;
    list.run = [this](Json, Outlet& outlet) { return list_children(Json::object(), outlet); };
    add_builtin(std::move(list));
}

awaitable<Target> Activation::route(std::string path) {
    if (const auto* method = find_method(path)) co_return Target{nullptr, method, {name_}, {}};

    constexpr std::string_view asks_schema = ".schema";
    if (path.ends_with(asks_schema)) {
        const auto method = path.substr(0, path.size() - asks_schema.size());
        if (find_method(method))
            co_return Target{nullptr, &builtins_.at("schema"), {name_}, Json{{"method", method}}};
    }
    if (auto target = co_await route_to_child(path)) {
        target->provenance.insert(target->provenance.begin(), name_);
        co_return std::move(*target);
    }

    std::vector<std::string_view> known;
    const auto dot = path.find('.');
    if (dot != path.npos) {
        for (const auto* child : children()) known.push_back(child->name());
        const auto segment = path.substr(0, dot);
        throw Failure(nowhere("activation_not_found", "Activation not found: " + schema::clipped(segment),
                              segment, known));
    }
    for (const auto& method : methods_) known.push_back(method.name);
    throw Failure(
        nowhere("method_not_found", "Method not found: " + name_ + "." + schema::clipped(path), path, known));
}

awaitable<std::optional<Target>> Activation::route_to_child(std::string path) {
    const auto dot = path.find('.');
    if (dot == path.npos) co_return std::nullopt;
    if (auto* child = find_child(std::string_view(path).substr(0, dot)))
        co_return co_await child->route(path.substr(dot + 1));

    auto keeper = co_await child_behind_gate(path);
    if (!keeper) co_return std::nullopt;
    auto target = co_await keeper->route(path);
    target.keeper = std::move(keeper);
    co_return target;
}

// `session.work.chat` and `work.chat` both leave `chat` in `path`.
awaitable<std::shared_ptr<Activation>> Activation::child_behind_gate(std::string& path) {
    if (gate_.empty()) co_return nullptr;
    auto rest = path;
    const bool by_gate = rest.starts_with(gate_ + ".");
    if (by_gate) rest.erase(0, gate_.size() + 1);
    const auto dot = rest.find('.');
    if (dot == rest.npos) co_return nullptr;
    const auto name = rest.substr(0, dot);
    auto child = co_await dynamic_child(name);
    if (child) path = rest.substr(dot + 1);
    else if (by_gate)
        throw Failure(
            {Code::method_not_found, "child_not_found",
             "Activation not found: " + name_ + " has no " + gate_ + " called " + schema::clipped(name),
             Json{{"wanted", schema::clipped(name)}}});
    co_return child;
}

// Generated clients read a null datum as "there is none"; an error would make them throw.
awaitable<void> Activation::describe_child(Json params, Outlet& outlet) {
    auto wanted = decoded<ChildParams>(std::move(params));
    const auto child = co_await dynamic_child(std::move(wanted.name));
    co_await outlet.send(child ? schema::to_json_text(child->as_child()) : "null");
}

awaitable<void> Activation::list_children(Json params, Outlet& outlet) {
    const auto search = decoded<SearchParams>(std::move(params));
    auto names = co_await dynamic_children();
    for (const auto* child : children()) names.push_back(child->name());
    for (const auto& name : names)
        if (name.find(search.query) != name.npos) co_await outlet.send(schema::json_string(name));
}

}  // namespace plexus::hub
