#include "hub/method.hpp"

#include <algorithm>

namespace plexus::hub {

namespace {

bool names_all_required(const Json& object, std::span<const schema::Field> fields) {
    return std::ranges::all_of(
        fields, [&](const auto& field) { return field.may_be_absent() || object.contains(field.name); });
}

Json positional(const Json& values, std::span<const schema::Field> fields) {
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) object[std::string(fields[i].name)] = values[i];
    return object;
}

// Whether a bare object can be the value of a method's one parameter, rather than its parameters.
bool takes_objects(const schema::Field& field) {
    schema::Definitions definitions;
    return !field.may_be_absent() && !field.schema(definitions).contains("type");
}

}  // namespace

schema::Result<Json> by_name(Json given, std::span<const schema::Field> fields) {
    const auto ok = [](Json json) {
        return schema::Result<Json>(boost::system::in_place_value, std::move(json));
    };
    if (given.is_null() || (given.is_array() && given.empty())) return ok(Json::object());
    if (given.is_object()) {
        given.erase("_connection");  // what only our own gateway may say
        if (fields.size() == 1 && !given.empty() && !given.contains(fields[0].name) &&
            takes_objects(fields[0]))
            return ok(Json{{std::string(fields[0].name), std::move(given)}});
        return ok(std::move(given));
    }
    if (given.is_array()) {
        if (given.size() == 1 && given[0].is_object() && names_all_required(given[0], fields))
            return ok(std::move(given[0]));
        if (given.size() > fields.size())
            return schema::invalid_params("expected at most " + std::to_string(fields.size()) +
                                          " positional parameters, not " + std::to_string(given.size()));
        return ok(positional(given, fields));
    }
    if (fields.size() == 1) return ok(Json{{std::string(fields[0].name), std::move(given)}});
    return schema::invalid_params("expected object");
}

}  // namespace plexus::hub
