#include "hub/activation.hpp"

#include "schema/hash.hpp"

#include <algorithm>

namespace plexus::hub {

using schema::Code;
using schema::Error;
using schema::Failure;

awaitable<schema::Result<void>> guarded(awaitable<void> call) {
    schema::Result<void> outcome;
    try {
        co_await std::move(call);
    } catch (const Failure& failure) {
        outcome = failure.error();
    } catch (const boost::system::system_error& failure) {
        const bool aborted = failure.code() == asio::error::operation_aborted;
        outcome = schema::failed(aborted ? "cancelled" : "internal",
                                 aborted ? "The call was cancelled" : failure.code().message());
    } catch (const std::exception& failure) {
        outcome = schema::failed("internal", std::string("Execution error: ") + failure.what());
    }
    co_await asio::this_coro::reset_cancellation_state();
    co_return outcome;
}

void require(const Caller& caller, Scope scope) {
    if (caller.scopes.allow(scope)) return;
    if (caller.scopes.empty())
        throw Failure({Code::unauthenticated, "unauthenticated",
                       "Authentication required: send the token as `Authorization: Bearer`"});
    const auto name = std::string(schema::Codec<Scope>::name(scope));
    throw Failure({Code::forbidden, "forbidden", "Forbidden: missing required scope '" + name + "'",
                   Json{{"scope", name}}});
}

namespace {

std::string type_text(Json schema) {
    schema.erase("description");
    return schema.dump();
}

std::string method_hash(const Method& method) {
    std::vector<std::string> parts{method.name, method.about};
    for (const auto& field : method.fields) {
        parts.emplace_back(field.name);
        parts.push_back(type_text(method.params["properties"][std::string(field.name)]));
        parts.emplace_back(field.about);
    }
    if (method.params.is_object() && method.params.contains("$defs"))
        parts.push_back(method.params["$defs"].dump());
    if (method.returns.is_object()) parts.push_back(type_text(method.returns));
    return schema::hash_of(parts);
}

// tree_get → TreeGetResult: what generators call the result type of a method whose union has no name.
std::string result_title(std::string_view method) {
    std::string title;
    bool upper = true;
    for (const char c : method) {
        if (c == '_') upper = true;
        else
            title += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c,
                upper = false;
    }
    return title + "Result";
}

struct FailureDatum {
    static constexpr std::string_view tag = "error";
    std::string message, code, reason;
};
DESCRIBE(FailureDatum, (message, "What went wrong, as a sentence"), (code, "JSON-RPC code as text"),
         (reason, "What a program switches on"))

Json failure_alternative() {
    schema::Definitions none;
    return schema::tagged_schema(FailureDatum::tag, schema::Codec<FailureDatum>::plain(none));
}

std::function<awaitable<void>(Json, Outlet&)> telling_failures(
    std::function<awaitable<void>(Json, Outlet&)> run) {
    return [run = std::move(run)](Json params, Outlet& outlet) -> awaitable<void> {
        const auto outcome = co_await guarded(run(std::move(params), outlet));
        if (outcome) co_return;
        auto error = outcome.error();
        if (!error.told && error.reason != "cancelled") {
            const FailureDatum datum{error.message, std::to_string(static_cast<int>(error.code)),
                                     error.reason};
            co_await outlet.send(schema::to_json_text(schema::encode(datum)));
            error.told = true;
        }
        throw Failure(std::move(error));
    };
}

}  // namespace

Activation::Activation(std::string name, std::string version, std::string about)
    : name_(std::move(name)), version_(std::move(version)), about_(std::move(about)) {
    add_common_builtins();
}

const Method* Activation::find_method(std::string_view name) const {
    if (const auto found = std::ranges::find(methods_, name, &Method::name); found != methods_.end())
        return &*found;
    return find_builtin(name);
}

const Method* Activation::find_builtin(std::string_view name) const {
    const auto found = builtins_.find(name);
    return found == builtins_.end() ? nullptr : &found->second;
}

void Activation::add_builtin(Method method) {
    if (method.content_type.empty()) method.content_type = name_ + "." + method.name;
    auto name = method.name;
    builtins_.insert_or_assign(std::move(name), std::move(method));
}

void Activation::add(Method method) {
    if (std::ranges::find(methods_, method.name, &Method::name) != methods_.end())
        throw std::logic_error(name_ + " has two methods called " + method.name);
    if (method.content_type.empty()) method.content_type = name_ + "." + method.name;
    if (method.returns.is_object() && method.returns.contains("oneOf")) {
        if (!method.returns.contains("title")) method.returns["title"] = result_title(method.name);
        if (failures_as_data_) method.returns["oneOf"].push_back(failure_alternative());
    }
    if (failures_as_data_) method.run = telling_failures(std::move(method.run));
    if (method.hash.empty()) method.hash = method_hash(method);
    methods_.push_back(std::move(method));
}

awaitable<Json> Activation::resolve(Handle handle) {
    const auto known = handle_versions();
    if (std::ranges::find(known, handle.version) == known.end()) {
        std::string all;
        for (const auto& version : known) all += (all.empty() ? "" : ", ") + version;
        throw Failure(schema::failed(
            "handle_version_unsupported",
            "Handle version " + handle.version + " is not one that " + name_ + " understands (" + all + ")",
            {{"version", handle.version}, {"understood", known}}));
    }
    return resolve_handle(std::move(handle));
}

awaitable<std::vector<schema::Result<Json>>> Activation::resolve_all(std::vector<Handle> handles) {
    std::vector<schema::Result<Json>> results;
    for (auto& handle : handles) {
        Json resolved;
        const auto one = [&]() -> awaitable<void> { resolved = co_await resolve(std::move(handle)); };
        const auto outcome = co_await guarded(one());
        if (outcome) results.emplace_back(boost::system::in_place_value, std::move(resolved));
        else results.emplace_back(boost::system::in_place_error, outcome.error());
    }
    co_return results;
}

Activation* Activation::find_owner(PluginId plugin) {
    if (plugin == id()) return this;
    for (auto* child : children())
        if (auto* owner = child->find_owner(plugin)) return owner;
    return nullptr;
}

awaitable<Json> Activation::resolve_handle(Handle) {
    throw Failure(
        schema::failed("handle_not_resolvable", "Handle resolution not supported by activation: " + name_));
    co_return Json();
}

awaitable<std::shared_ptr<Activation>> Activation::dynamic_child(std::string) { co_return nullptr; }
awaitable<std::vector<std::string>> Activation::dynamic_children() { co_return std::vector<std::string>{}; }
Json Activation::as_child() const { return {{"type", "child"}, {"namespace", name_}}; }

Handle Activation::make_handle(std::string kind, std::vector<std::string> meta) const {
    return Handle{id(), version_, std::move(kind), std::move(meta), nullptr};
}

}  // namespace plexus::hub
