// PluginSchema and its hashes (reference: the wire contract's §9 and §11).
#include "hub/activation.hpp"

#include "schema/hash.hpp"

namespace plexus::hub {

namespace {

Json describe_method(const Method& method) {
    Json json = {{"name", method.name},
                 {"description", method.about},
                 {"hash", method.hash},
                 {"streaming", method.streaming},
                 {"bidirectional", method.bidirectional},
                 {"http_method", "POST"},
                 {"scope", schema::encode(method.scope)},
                 {"role", method.role.is_null() ? Json{{"kind", "rpc"}} : method.role}};
    if (!method.params.is_null()) json["params"] = method.params;
    if (!method.returns.is_null()) json["returns"] = method.returns;
    if (method.bidirectional) {
        json["request_type"] = Json::object();
        json["response_type"] = Json::object();
    }
    return json;
}

// Every activation can describe itself; the literal hash is what public clients know this method by.
Json describe_schema_method() {
    return {
        {"name", "schema"},
        {"description", "Get plugin or method schema. Pass {\"method\": \"name\"} for a specific method."},
        {"hash", "auto_schema"},
        {"streaming", false},
        {"bidirectional", false},
        {"http_method", "POST"},
        {"scope", "read"},
        {"role", {{"kind", "rpc"}}}};
}

}  // namespace

Json Activation::make_schema() const {
    Json listed = Json::array(), gates = Json::array();
    std::vector<std::string> hashes, gate_hashes;
    for (const auto& method : methods_) {
        const bool is_gate = !method.role.is_null();
        (is_gate ? gates : listed).push_back(describe_method(method));
        (is_gate ? gate_hashes : hashes).push_back(method.hash);
    }
    listed.push_back(describe_schema_method());
    listed.insert(listed.end(), gates.begin(), gates.end());
    hashes.emplace_back("auto_schema");
    hashes.insert(hashes.end(), gate_hashes.begin(), gate_hashes.end());

    const auto self_hash = schema::hash_of(hashes);
    Json json = {{"namespace", name_},
                 {"version", version_},
                 {"description", about_},
                 {"self_hash", self_hash},
                 {"methods", std::move(listed)}};
    const auto below = children();
    if (below.empty()) {
        json["hash"] = schema::hash_of({self_hash});
        return json;
    }
    std::vector<std::string> child_hashes;
    for (const auto* child : below) {
        child_hashes.push_back(child->hash());
        json["children"].push_back(
            {{"namespace", child->name()}, {"description", child->about()}, {"hash", child->hash()}});
    }
    const auto children_hash = schema::hash_of(child_hashes);
    json["children_hash"] = children_hash;
    json["hash"] = schema::hash_of({self_hash, children_hash});
    return json;
}

const Json& Activation::schema() const {
    if (schema_.is_null()) schema_ = make_schema();
    return schema_;
}

const std::string& Activation::hash() const { return schema()["hash"].get_ref<const std::string&>(); }

// The whole plugin, or with {"method": name} one method of it.
Json Activation::schema_asked_for(const Json& params) const {
    const auto wanted = params.is_object() ? params.find("method") : params.end();
    if (wanted == params.end() || wanted->is_null()) return schema();
    for (const auto& method : schema()["methods"])
        if (method["name"] == *wanted) return method;
    throw schema::Failure(
        {schema::Code::method_not_found, "method_not_found",
         "Method not found: " + name_ + "." +
             schema::clipped(wanted->is_string() ? wanted->get<std::string>() : wanted->dump())});
}

Json Activation::hashes() const {
    Json json = {{"namespace", name_}, {"self_hash", schema()["self_hash"]}, {"hash", hash()}};
    if (!schema().contains("children")) return json;
    json["children_hash"] = schema()["children_hash"];
    for (const auto& child : schema()["children"])
        json["children"].push_back({{"namespace", child["namespace"]}, {"hash", child["hash"]}});
    return json;
}

}  // namespace plexus::hub
