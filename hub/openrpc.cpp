#include "hub/openrpc.hpp"

namespace plexus::hub {

namespace {

// OpenRPC has no "$defs" in its parts: named types move to the document's components.
void move_definitions(Json& node, const std::string& prefix, Json& components) {
    if (node.is_object()) {
        // Validators of OpenRPC documents refuse formats they do not know; the bounds say the same.
        if (const auto format = node.find("format"); format != node.end() && format->is_string()) {
            if (*format == "uuid")
                node["pattern"] = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
            node.erase("format");
        }
        if (const auto defs = node.find("$defs"); defs != node.end()) {
            Json moved = std::move(*defs);
            node.erase("$defs");
            for (auto& [name, schema] : moved.items()) {
                move_definitions(schema, prefix, components);
                components[prefix + name] = std::move(schema);
            }
        }
        if (const auto ref = node.find("$ref"); ref != node.end()) {
            const auto text = ref->get<std::string>();
            constexpr std::string_view local = "#/$defs/";
            if (text.starts_with(local)) *ref = "#/components/schemas/" + prefix + text.substr(local.size());
        }
    }
    if (node.is_structured())
        for (auto& child : node) move_definitions(child, prefix, components);
}

Json describe(const Method& method, const std::string& path, const std::string& prefix, Json& components) {
    Json params = Json::array();
    for (const auto& field : method.fields) {
        auto schema = method.params["properties"][std::string(field.name)];
        schema.erase("description");
        params.push_back({{"name", field.name},
                          {"description", field.about},
                          {"required", !field.may_be_absent()},
                          {"schema", std::move(schema)}});
    }
    if (method.params.is_object() && method.params.contains("$defs")) {
        Json holder = {{"$defs", method.params["$defs"]}};
        move_definitions(holder, prefix, components);
    }
    Json result = method.returns.is_null() ? Json::object() : method.returns;
    Json json = {{"name", path},
                 {"summary", method.about},
                 {"paramStructure", "by-name"},
                 {"params", std::move(params)},
                 {"result", {{"name", "result"}, {"schema", std::move(result)}}},
                 {"x-scope", schema::encode(method.scope)},
                 {"x-streaming", method.streaming}};
    move_definitions(json, prefix, components);
    return json;
}

void collect(const Activation& activation, const std::string& path, Json& methods, Json& components) {
    auto prefix = path;
    for (auto& c : prefix)
        if (c == '.') c = '_';
    for (const auto& method : activation.methods())
        if (method.role.is_null())
            methods.push_back(describe(method, path + method.name, prefix, components));
    for (const auto* child : activation.children())
        collect(*child, path + child->name() + ".", methods, components);
}

}  // namespace

Json openrpc(const Hub& root) {
    Json methods = Json::array(), components = Json::object();
    for (const auto* child : root.children()) collect(*child, child->name() + ".", methods, components);
    for (const auto& method : root.methods())
        methods.push_back(describe(method, root.name() + "." + method.name, root.name() + "_", components));
    return {{"openrpc", "1.2.6"},
            {"info", {{"title", root.name()}, {"version", root.version()}, {"description", root.about()}}},
            {"methods", std::move(methods)},
            {"components", {{"schemas", std::move(components)}}}};
}

}  // namespace plexus::hub
