#include "daemon/cli/describe.hpp"

#include "daemon/cli/json_schema.hpp"
#include "schema/rpc.hpp"

#include <algorithm>

namespace plexus::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

bool contains(const std::vector<std::string>& list, std::string_view value) {
    return std::ranges::find(list, value) != list.end();
}

// Required ones first: that is the order in which they are asked about.
std::vector<std::string> parameter_names(const JsonSchema& params) {
    auto names = params.required();
    for (const auto name : params.properties())
        if (!contains(names, name)) names.emplace_back(name);
    return names;
}

std::string need(const JsonSchema& params, const std::string& name) {
    if (contains(params.required(), name)) return "required";
    const auto& json = params.property(name).json();
    const auto fallback = json.contains("default") ? json["default"] : Json();
    return fallback.is_null() ? "" : "default " + schema::to_json_text(fallback);
}

std::string returned(const Json& variant, const JsonSchema& schema) {
    const auto tag = schema.property("type").json().value("const", variant.value("title", ""));
    std::string text = tag;
    for (const auto name : schema.properties())
        if (name != "type")
            text += (text == tag ? "  " : ", ") + std::string(name) + ": " +
                    schema.property(std::string(name)).type_text();
    return text;
}

}  // namespace

std::string signature(const std::string& name, const Json& method) {
    const auto declared = method.value("params", Json::object());
    const JsonSchema params(declared);
    std::string inside;
    for (const auto& parameter : parameter_names(params)) {
        const auto shown = contains(params.required(), parameter) ? parameter : "[" + parameter + "]";
        inside += (inside.empty() ? "" : ", ") + shown;
    }
    return name + " (" + inside + ")";
}

std::string describe_method(const std::string& path, const Json& method, const Paint& paint) {
    std::string text = paint.bold(path) + "  " + method.value("description", "") + "\n";
    const auto declared = method.value("params", Json::object());
    const JsonSchema params(declared);
    Rows rows;
    for (const auto& name : parameter_names(params)) {
        const auto schema = params.property(name);
        rows.push_back(
            {paint.cyan("--" + name), schema.type_text(), need(params, name), schema.description()});
    }
    text += rows.empty() ? "  takes no parameters\n" : columns(rows, 2);

    const auto returns = method.value("returns", Json::object());
    for (const auto& variant : returns.value("oneOf", Json::array())) {
        auto whole = variant;
        whole["$defs"] = returns.value("$defs", Json::object());
        text += "  " + paint.dim("→") + " " + returned(variant, JsonSchema(whole)) + "\n";
    }
    std::string remarks = "scope " + method.value("scope", "?");
    if (method.value("streaming", false)) remarks += ", streams";
    if (method.value("bidirectional", false)) remarks += ", asks back";
    return text + "  " + paint.dim(remarks) + "\n";
}

std::string describe_activation(const Json& activation, const Paint& paint) {
    auto text = paint.bold(activation.value("namespace", "?")) + " " + activation.value("version", "") +
                "  " + activation.value("description", "") + "\n";
    Rows rows;
    for (const auto& method : activation.value("methods", Json::array()))
        rows.push_back(
            {paint.cyan(signature(method.value("name", "?"), method)), method.value("description", "")});
    for (const auto& child : activation.value("children", Json::array()))
        rows.push_back({paint.bold(child.value("namespace", "?") + "."), child.value("description", "")});
    return text + columns(rows, 2);
}

}  // namespace plexus::cli
