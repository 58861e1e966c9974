#include "daemon/cli/parameters.hpp"

#include "daemon/cli/exit.hpp"
#include "schema/codec.hpp"
#include "schema/rpc.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace plexus::cli {

using schema::Result;

namespace {

Result<Json> given_as_json(const std::string& text) {
    const bool piped = text == "-";
    using Characters = std::istreambuf_iterator<char>;
    auto parsed = schema::parse_json(piped ? std::string(Characters(std::cin), Characters()) : text);
    if (!parsed || !parsed->is_object())
        return usage_error((piped ? "Standard input" : text) +
                           " is no JSON object; give parameters as --name value or as '{\"name\": value}'");
    return parsed;
}

// --my-flag means my_flag: no parameter on the wire has a dash.
std::string wire_name(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
}

Json value_for(const Words::Named& given, const JsonSchema& schema) {
    if (given.value) return schema.value_of(*given.value);
    const bool is_flag = schema.admits("boolean") && (!schema.types().empty() || schema.json().empty());
    return is_flag ? Json(true) : Json();
}

void put(Json& params, const std::string& name, Json value, const JsonSchema& schema,
         std::vector<std::string>& problems) {
    const bool again = params.contains(name);
    const bool list = schema.admits("array") && !schema.types().empty();
    if (again && list && params[name].is_array() && value.is_array())
        params[name].insert(params[name].end(), value.begin(), value.end());
    else if (again) problems.push_back("--" + name + " is given twice");
    else params[name] = std::move(value);
}

std::string described(const JsonSchema& schema) {
    const auto about = schema.description();
    return schema.type_text() + (about.empty() ? "" : ": " + about);
}

}  // namespace

Result<Json> parameters(const Words& words, const Json& method) {
    auto given = given_as_json(words.json.value_or("{}"));
    if (!given) return given;
    auto& params = *given;
    const bool checked = method.is_object();
    const auto declared = checked ? method.value("params", Json::object()) : Json::object();
    const JsonSchema schema(declared);
    const auto known = schema.properties();
    const auto is_known = [&](const std::string& name) {
        return std::ranges::find(known, name) != known.end();
    };

    std::vector<std::string> problems;
    for (const auto& one : words.named) {
        const auto name = wire_name(one.name);
        auto value = value_for(one, schema.property(name));
        if (value.is_null() && !one.value) problems.push_back("--" + one.name + " needs a value");
        else put(params, name, std::move(value), schema.property(name), problems);
    }
    if (!checked) {
        if (problems.empty()) return given;
        return usage_error(problems.front());
    }
    for (const auto& [name, value] : params.items())
        if (!is_known(name)) problems.push_back("--" + name + " is unknown" + schema::closest(name, known));
        else if (!value.is_null()) schema.property(name).check(value, "--" + name, problems);
    const auto is_named = [&](const std::string& name) {
        return std::ranges::any_of(words.named, [&](auto& one) { return wire_name(one.name) == name; });
    };
    for (const auto& name : schema.required())
        if (!is_named(name) && (!params.contains(name) || params[name].is_null()))
            problems.push_back("--" + name + " is missing (" + described(schema.property(name)) + ")");
    if (problems.empty()) return given;
    std::string message;
    for (const auto& problem : problems) message += (message.empty() ? words.method + ": " : "; ") + problem;
    return usage_error(message);
}

}  // namespace plexus::cli
