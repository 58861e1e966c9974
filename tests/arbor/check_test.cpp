#include "tests/arbor/world.hpp"

#include <list>

using namespace plexus;
using namespace plexus::tests;

namespace {

struct CheckWorld : World {
    Json id = tree();
    Json a = text(id, root_of(id)), b = text(id, a), c = text(id, b), d = text(id, a);

    void damage(const std::string& change) {
        static std::list<std::string> kept;  // statements are known by their address
        static std::list<hub::Statement> statements;
        const auto& statement = statements.emplace_back("damage", kept.emplace_back(change));
        write([&](hub::Transaction& sql) { return sql.execute(statement); });
    }
    std::vector<std::string> kinds() {
        std::vector<std::string> found;
        const auto report = call("check");
        for (const auto& problem : report["problems"]) found.push_back(problem["kind"]);
        return found;
    }
};

}  // namespace

TEST_CASE_METHOD(CheckWorld, "nothing is wrong with a tree made by the methods", "[arbor][check]") {
    const auto report = call("check");
    CHECK(report["ok"] == true);
    CHECK(report["trees"] == 1);
    CHECK(report["nodes"] == 5);
    CHECK(report["problems"].empty());
}

TEST_CASE_METHOD(CheckWorld, "handles that point at nothing are listed", "[arbor][check]") {
    vault->things["here"] = 1;
    thing(id, a, "here");
    const auto lost = thing(id, a, "lost");
    const auto report = call("check", {{"tree_id", id}});
    CHECK(report["ok"] == false);
    CHECK(report["handles"] == 2);
    REQUIRE(report["problems"].size() == 1);
    CHECK(report["problems"][0]["kind"] == "dangling_handle");
    CHECK(report["problems"][0]["node_id"] == lost);
    CHECK(report["problems"][0]["tree_id"] == id);
    CHECK(vault->asked == 1);
    CHECK(call("check", {{"handles", false}})["ok"] == true);
}

TEST_CASE_METHOD(CheckWorld, "every kind of damage is seen", "[arbor][check]") {
    const auto [change, kind] = GENERATE(table<std::string, std::string>({
        {"DELETE FROM nodes WHERE depth = 2 AND position = 0", "orphan"},
        {"UPDATE nodes SET parent = NULL WHERE depth = 3", "orphan"},
        {"UPDATE nodes SET depth = depth + 1 WHERE depth = 3", "depth"},
        {"UPDATE nodes SET segment = 999 WHERE depth = 1", "run"},
        {"UPDATE nodes SET segment = (SELECT segment FROM nodes WHERE depth = 1) WHERE depth = 2", "run"},
        {"UPDATE segments SET parent_node = 1", "run"},
        {"UPDATE nodes SET state = 1 WHERE depth = 1", "state"},
        {"UPDATE nodes SET ephemeral = 1 WHERE depth = 1", "state"},
        {"UPDATE nodes SET ref_count = 5 WHERE depth = 1", "refs"},
        {"UPDATE trees SET ref_count = 5", "refs"},
        {"UPDATE nodes SET tree = 77 WHERE depth = 3", "orphan"},
        {"DELETE FROM nodes WHERE depth = 0", "orphan"},
        {"INSERT INTO segments (tree) SELECT key FROM trees", "run"},
        {"INSERT INTO chains (id, tree, node, plugin, version, method, created_at) "
         "SELECT randomblob(16), key, 99, zeroblob(16), '1', 'e', 0 FROM trees",
         "chain"},
    }));
    damage(change);
    CAPTURE(change);
    CHECK_THAT(kinds(), Catch::VectorContains(kind));
}

TEST_CASE_METHOD(CheckWorld, "a gap in a stream is seen", "[arbor][check]") {
    stream(id, a, 5);
    CHECK(kinds().empty());
    damage("DELETE FROM chat_events WHERE seq = 3");
    CHECK(kinds() == std::vector<std::string>{"chain"});
}

TEST_CASE_METHOD(CheckWorld, "a broken path is an error, not a wrong answer", "[arbor][check]") {
    damage("UPDATE nodes SET segment = NULL WHERE depth = 1");
    CHECK(reason("node_get_path", {{"tree_id", id}, {"node_id", c}}) == "corrupt");
}
