#include "tests/arbor/world.hpp"

using namespace plexus;
using namespace plexus::tests;

namespace {

struct SearchWorld : World {
    Json found(const std::string& query, Json params = Json::object()) {
        params["query"] = query;
        Json ids_found = Json::array();
        const auto answer = call("tree_search", params);
        for (const auto& match : answer["matches"]) ids_found.push_back(match["node_id"]);
        std::sort(ids_found.begin(), ids_found.end());
        return ids_found;
    }
};

}  // namespace

TEST_CASE_METHOD(SearchWorld, "nodes are found by the words in them", "[arbor][search]") {
    const auto one = tree(), two = tree();
    const auto bees = text(one, root_of(one), "Bees fly to the Café in summer");
    const auto wasps = text(two, root_of(two), "wasps fly too");
    CHECK(found("fly") == Json::array({bees, wasps}));
    CHECK(found("FLY summer") == Json::array({bees}));
    CHECK(found("cafe") == Json::array({bees}));
    CHECK(found("wasp") == Json::array());
    CHECK(found("wasp*") == Json::array({wasps}));
    CHECK(found("fly", {{"tree_id", two}}) == Json::array({wasps}));
    CHECK(call("tree_search", {{"query", "summer"}})["matches"][0]["snippet"].get<std::string>().find(
              "Café") != std::string::npos);

    SECTION("in pages") {
        const auto first = call("tree_search", {{"query", "fly"}, {"limit", 1}});
        const auto second = call("tree_search", {{"query", "fly"}, {"cursor", first["next_cursor"]}});
        CHECK(first["matches"].size() == 1);
        CHECK(second["matches"].size() == 1);
        CHECK(first["matches"][0] != second["matches"][0]);
        CHECK_FALSE(second.contains("next_cursor"));
    }
    SECTION("as they are now") {
        call("node_update", {{"tree_id", two}, {"node_id", wasps}, {"content", "hornets"}});
        CHECK(found("fly") == Json::array({bees}));
        CHECK(found("hornets") == Json::array({wasps}));
        call("node_delete", {{"tree_id", one}, {"node_id", bees}});
        CHECK(found("fly").empty());
    }
}

TEST_CASE_METHOD(SearchWorld, "nothing a person types is an operator or an error", "[arbor][search]") {
    const auto id = tree();
    const auto node_id = text(id, root_of(id), "say \"hi\" AND run: NEAR(x) -- it's c++ (sort of) 100%");
    for (const auto* query :
         {"\"hi", "AND", "NEAR(x)", "run:", "it's", "c++", "(sort", "100%", "hi\"", "x) OR"})
        CHECK_NOTHROW(found(query));
    CHECK(found("AND") == Json::array({node_id}));
    CHECK(found("it's 100%") == Json::array({node_id}));
    CHECK(found("*").empty());
    CHECK(found("\"").empty());
    CHECK(reason("tree_search", {{"query", " \t "}}) == "invalid_params");
    CHECK(reason("tree_search", {{"query", "x"}, {"tree_id", to_text(trees->new_node())}}) == "not_found");
}

TEST_CASE_METHOD(SearchWorld, "the owner of an external node can say what it is found by",
                 "[arbor][search]") {
    const auto id = tree();
    const auto node_id = trees->new_node();
    write([&](hub::Transaction& sql) {
        const arbor::NewNode node{node_id, {}, vault->handle("x"), {}, false, true, {}, "hidden treasure"};
        return arbor::NodeStore(sql).create(tree_id(id), node, 0);
    });
    CHECK(found("treasure") == Json::array({to_text(node_id)}));
    CHECK(node(id, to_text(node_id))["data"]["type"] == "external");
}

TEST_CASE_METHOD(SearchWorld, "trees and nodes are found by their metadata", "[arbor][search]") {
    const auto one =
        call("tree_create", {{"metadata", {{"app", "x"}, {"v", {{"major", 1}, {"minor", 2}}}}}})["tree_id"];
    const auto two = call("tree_create", {{"metadata", {{"app", "x"}, {"v", {{"major", 2}}}}}})["tree_id"];
    tree();
    const auto trees_with = [&](Json metadata) {
        return call("tree_query_by_metadata", {{"metadata", std::move(metadata)}})["tree_ids"];
    };
    CHECK(trees_with({{"app", "x"}}) == Json::array({one, two}));
    CHECK(trees_with({{"v", {{"major", 1}}}}) == Json::array({one}));
    CHECK(trees_with({{"app", "y"}}).empty());
    const auto page = call("tree_query_by_metadata", {{"metadata", {{"app", "x"}}}, {"limit", 1}});
    CHECK(call("tree_query_by_metadata",
               {{"metadata", {{"app", "x"}}}, {"cursor", page["next_cursor"]}})["tree_ids"] ==
          Json::array({two}));
    CHECK(reason("tree_query_by_metadata", {{"metadata", 5}}) == "invalid_params");

    const auto noted =
        call("node_create_text",
             {{"tree_id", one}, {"content", ""}, {"metadata", {{"cli_uuid", "u1"}}}})["node_id"];
    CHECK(call("node_query_by_metadata",
               {{"tree_id", one}, {"metadata", {{"cli_uuid", "u1"}}}})["node_ids"] == Json::array({noted}));
    CHECK(call("node_query_by_metadata", {{"tree_id", two}, {"metadata", {{"cli_uuid", "u1"}}}})["node_ids"]
              .empty());
}
