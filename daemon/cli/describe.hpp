// PluginSchema and MethodSchema, as a person likes to read them.
#pragma once

#include "daemon/cli/text.hpp"
#include "schema/error.hpp"

namespace plexus::cli {

// echo.echo (message, [count])
std::string signature(const std::string& name, const schema::Json& method);

std::string describe_method(const std::string& path, const schema::Json& method, const Paint& paint);
std::string describe_activation(const schema::Json& activation, const Paint& paint);

}  // namespace plexus::cli
