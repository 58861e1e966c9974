#include "daemon/cli/hub_schema.hpp"

namespace plexus::cli {

bool is_activation(const Json& schema) { return schema.is_object() && schema.contains("namespace"); }

awaitable<Json> schema_of(Client& client, std::string path) {
    auto asked = (path.empty() ? client.hub_name() : path) + ".schema";
    co_return co_await client.ask(std::move(asked));
}

awaitable<Json> whole_schema(Client& client, std::string path) {
    auto schema = co_await schema_of(client, path);
    schema["path"] = path;
    if (!schema.contains("children")) co_return schema;
    for (auto& child : schema["children"]) {
        auto below = (path.empty() ? "" : path + ".") + child.value("namespace", "");
        child = co_await whole_schema(client, std::move(below));
    }
    co_return schema;
}

}  // namespace plexus::cli
