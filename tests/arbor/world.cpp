#include "tests/arbor/world.hpp"

#include "hub/log.hpp"

#include <sqlite3.h>

namespace plexus::tests {

using hub::awaitable;

awaitable<Json> Vault::resolve_handle(hub::Handle handle) {
    const auto found = handle.meta.empty() ? things.end() : things.find(handle.meta[0]);
    if (found == things.end())
        throw schema::Failure(schema::failed("dangling_handle", "There is nothing behind " + handle.text()));
    co_return found->second;
}

awaitable<std::vector<schema::Result<Json>>> Vault::resolve_all(std::vector<hub::Handle> handles) {
    ++asked;
    return Activation::resolve_all(std::move(handles));
}

World::World() {
    hub::log::start(hub::log::Level::warn, false);
    reopen();
}
World::~World() = default;

void World::reopen() {
    const auto things = vault ? vault->things : std::map<std::string, Json>();
    root.reset();
    trees.reset();
    storage.reset();
    storage::Options options;
    options.directory = directory / "state";
    storage = storage::open_sqlite(options);
    trees = std::make_unique<arbor::Trees>(loop.get_executor(), *storage, clock, ids, settings);
    trees->add_pins([this](hub::Transaction&) { return heads; });
    root = std::make_unique<hub::RootHub>("substrate", "1.0.0", "For tests");
    vault = &root->add<Vault>();
    vault->things = things;
    arbor = &root->add<arbor::Arbor>(*trees, *root);
}

Json World::call(const std::string& method, Json params) {
    FakeOutlet outlet;
    run(loop, root->invoke("arbor." + method, std::move(params), outlet));
    REQUIRE(outlet.items.size() == 1);
    return outlet.items[0];
}

std::string World::reason(const std::string& method, Json params) {
    FakeOutlet outlet;
    try {
        run(loop, root->invoke("arbor." + method, std::move(params), outlet));
    } catch (const schema::Failure& failure) {
        REQUIRE(outlet.items.size() == 1);
        CHECK(outlet.items[0]["type"] == "error");
        CHECK(outlet.items[0]["message"] == failure.error().message);
        CHECK_FALSE(failure.error().message.empty());
        return failure.error().reason;
    }
    return "";
}

Json World::tree(const std::string& owner) { return call("tree_create", {{"owner_id", owner}})["tree_id"]; }
Json World::root_of(const Json& tree) {
    return call("tree_get_skeleton", {{"tree_id", tree}})["skeleton"]["root"];
}
Json World::text(const Json& tree, const Json& parent, const std::string& content) {
    return call("node_create_text", {{"tree_id", tree}, {"parent", parent}, {"content", content}})["node_id"];
}
Json World::ephemeral(const Json& tree, const Json& parent, const std::string& content) {
    return call("node_create_text_ephemeral",
                {{"tree_id", tree}, {"parent", parent}, {"content", content}})["node_id"];
}
Json World::thing(const Json& tree, const Json& parent, const std::string& name) {
    return call("node_create_external",
                {{"tree_id", tree}, {"parent", parent}, {"handle", vault->handle(name).text()}})["node_id"];
}
Json World::node(const Json& tree, const Json& id) {
    return call("node_get", {{"tree_id", tree}, {"node_id", id}})["node"];
}
Json World::children(const Json& tree, const Json& id, bool all) {
    return call("node_get_children",
                {{"tree_id", tree}, {"node_id", id}, {"include_ephemeral", all}})["children"];
}
Json World::path(const Json& tree, const Json& id) {
    return call("node_get_path", {{"tree_id", tree}, {"node_id", id}})["path"];
}

ChainId World::stream(const Json& tree, const Json& node, int events) {
    const arbor::NewChain chain{trees->new_chain(), tree_id(tree), node_id(node),
                                vault->id(),        "1.0.0",       "event"};
    std::vector<arbor::Event> list;
    for (int i = 1; i <= events; ++i)
        list.push_back(
            {0, trees->new_node(), "tick", clock.milliseconds(), "{\"n\":" + std::to_string(i) + "}"});
    write([&](hub::Transaction& transaction) {
        arbor::ChainStore(transaction).create(chain, clock.seconds());
        return arbor::ChainStore(transaction).append(chain.id, list);
    });
    return chain.id;
}

bool World::sound() {
    const auto report = call("check", {{"handles", false}, {"events", true}});
    if (!report["ok"]) WARN(report.dump(2));
    return report["ok"];
}

namespace {

std::vector<std::vector<std::string>> rows(sqlite3* database, const std::string& sql) {
    std::vector<std::vector<std::string>> result;
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        auto& row = result.emplace_back();
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, i));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
            row.push_back(std::to_string(sqlite3_column_type(statement, i)) + ":" +
                          (data ? std::string(data, size) : ""));
        }
    }
    sqlite3_finalize(statement);
    return result;
}

}  // namespace

std::string World::dump() const {
    sqlite3* database = nullptr;
    const auto file = directory / "state" / "plexus.db";
    REQUIRE(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
    std::string text;
    for (const auto& table :
         rows(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")) {
        const auto name = table[0].substr(2);
        if (name == "commits" || name == "node_search") continue;
        text += "\n" + name;
        for (const auto& row : rows(database, "SELECT * FROM \"" + name + "\""))
            for (const auto& value : row) text += "|" + std::to_string(value.size()) + value;
    }
    sqlite3_close(database);
    return text;
}

TreeId tree_id(const Json& text) { return {schema::parse_uuid(text.get<std::string>()).value()}; }
NodeId node_id(const Json& text) { return {schema::parse_uuid(text.get<std::string>()).value()}; }

}  // namespace plexus::tests
