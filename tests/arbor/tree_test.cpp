#include "tests/arbor/world.hpp"

using namespace plexus;
using namespace plexus::tests;

TEST_CASE_METHOD(World, "a new tree has an empty text node as its root and one owner", "[arbor][tree]") {
    const auto id = call("tree_create", {{"metadata", {{"topic", "bees"}}}, {"owner_id", "ann"}})["tree_id"];
    const auto tree = call("tree_get", {{"tree_id", id}})["tree"];
    CHECK(tree["id"] == id);
    CHECK(tree["nodes"].size() == 1);
    CHECK(tree["metadata"] == Json{{"topic", "bees"}});
    CHECK(tree["refs"] == Json({{"ref_count", 1}, {"owners", {{"ann", 1}}}}));
    CHECK(tree["state"] == "active");
    CHECK(tree["created_at"] == clock.seconds());
    const auto root = tree["nodes"][tree["root"].get<std::string>()];
    CHECK(root["parent"].is_null());
    CHECK(root["data"] == Json({{"type", "text"}, {"content", ""}}));
    CHECK(root["refs"] == Json({{"ref_count", 1}, {"owners", Json::object()}}));
    CHECK_FALSE(root.contains("metadata"));
}

TEST_CASE_METHOD(World, "a tree created without an owner is held by the default one", "[arbor][tree]") {
    const auto id = call("tree_create")["tree_id"];
    CHECK(call("tree_get_refs", {{"tree_id", id}})["refs"]["owners"] == Json{{"default", 1}});
}

TEST_CASE_METHOD(World, "texts made from rows are what the described types say", "[arbor][wire]") {
    const auto id = call("tree_create", {{"metadata", {{"a", 1}}}})["tree_id"];
    const auto first = text(id, root_of(id), "quotes \" and \\ and \n and \x01 and ü");
    vault->things["x"] = 1;
    const auto second = thing(id, first, "x");
    call("node_claim", {{"tree_id", id}, {"node_id", second}, {"owner_id", "bob \"b\""}});
    stream(id, first, 3);
    const auto gone = ephemeral(id, second);

    const auto same = [&]<class T>(std::type_identity<T>, const std::string& method, Json params) {
        const auto answer = call(method, std::move(params));
        CHECK(schema::encode(schema::decode<T>(answer).value()) == answer);
    };
    for (const bool all : {false, true}) {
        const Json params = {{"tree_id", id}, {"include_ephemeral", all}, {"include_events", all}};
        same(std::type_identity<arbor::TreeGot>(), "tree_get", params);
        same(std::type_identity<arbor::SkeletonGot>(), "tree_get_skeleton", params);
    }
    for (const auto& node : {root_of(id), first, second, gone}) {
        const Json params = {{"tree_id", id}, {"node_id", node}};
        same(std::type_identity<arbor::NodeGot>(), "node_get", params);
        same(std::type_identity<arbor::Subtree>(), "node_get_subtree", params);
        same(std::type_identity<arbor::ContextPath>(), "node_get_path", params);
        same(std::type_identity<arbor::ContextPathData>(), "context_get_path", params);
        same(std::type_identity<arbor::ContextHandles>(), "context_get_handles", params);
    }
    same(std::type_identity<arbor::Subtree>(), "node_get_subtree",
         {{"tree_id", id}, {"node_id", root_of(id)}, {"limit", 1}});
    same(std::type_identity<arbor::ContextPathData>(), "context_get_path",
         {{"tree_id", id}, {"node_id", second}, {"limit", 1}});
    same(std::type_identity<arbor::Rendered>(), "tree_render", {{"tree_id", id}});
}

TEST_CASE_METHOD(World, "ids in schemas are the type that generators call UUID", "[arbor][wire]") {
    const auto* method = arbor->find_method("node_get");
    REQUIRE(method);
    CHECK(method->params["properties"]["tree_id"]["$ref"] == "#/$defs/UUID");
    CHECK(method->params["$defs"]["UUID"] == Json{{"type", "string"}});
    CHECK(method->returns["oneOf"][0]["properties"]["type"]["const"] == "node_data");
    CHECK(arbor->find_method("tree_create")->params["required"].empty());
    CHECK(arbor->find_method("tree_claim")->params["required"] == Json::array({"tree_id"}));
}

TEST_CASE_METHOD(World, "trees are listed in pages, in the order they were made", "[arbor][tree]") {
    Json made = Json::array();
    for (int i = 0; i < 5; ++i) made.push_back(tree(i % 2 ? "odd" : "even"));
    CHECK(call("tree_list")["tree_ids"] == made);
    const auto first = call("tree_list", {{"limit", 3}});
    CHECK(first["tree_ids"] == Json::array({made[0], made[1], made[2]}));
    const auto second = call("tree_list", {{"limit", 3}, {"cursor", first["next_cursor"]}});
    CHECK(second["tree_ids"] == Json::array({made[3], made[4]}));
    CHECK_FALSE(second.contains("next_cursor"));
    CHECK(call("tree_list", {{"owner_id", "odd"}})["tree_ids"] == Json::array({made[1], made[3]}));
    CHECK(call("tree_list", {{"owner_id", "odd"}, {"limit", 1}}).contains("next_cursor"));
    CHECK(call("tree_list", {{"owner_id", "nobody"}})["tree_ids"].empty());
}

TEST_CASE_METHOD(World, "a tree without owners is listed as scheduled, and only there", "[arbor][tree]") {
    const auto kept = tree(), let_go = tree();
    CHECK(call("tree_release", {{"tree_id", let_go}})["new_count"] == 0);
    CHECK(call("tree_list")["tree_ids"] == Json::array({kept}));
    CHECK(call("tree_list_scheduled")["tree_ids"] == Json::array({let_go}));
    CHECK(call("tree_list_archived")["tree_ids"].empty());
    CHECK(call("tree_list", {{"state", "scheduled_delete"}})["tree_ids"] == Json::array({let_go}));
    const auto tree = call("tree_get", {{"tree_id", let_go}})["tree"];
    CHECK(tree["state"] == "scheduled_delete");
    CHECK(tree["scheduled_deletion_at"] == clock.seconds());
}

TEST_CASE_METHOD(World, "owners are counted", "[arbor][tree]") {
    const auto id = tree("ann");
    CHECK(call("tree_claim", {{"tree_id", id}, {"owner_id", "ann"}, {"count", 2}})["new_count"] == 3);
    CHECK(call("tree_claim", {{"tree_id", id}, {"owner_id", "bob"}})["new_count"] == 1);
    CHECK(call("tree_get_refs", {{"tree_id", id}})["refs"] ==
          Json({{"ref_count", 4}, {"owners", {{"ann", 3}, {"bob", 1}}}}));
    CHECK(call("tree_release", {{"tree_id", id}, {"owner_id", "ann"}, {"count", 3}})["new_count"] == 0);
    CHECK(call("tree_get", {{"tree_id", id}})["tree"]["state"] == "active");
    CHECK(reason("tree_release", {{"tree_id", id}, {"owner_id", "ann"}}) == "not_found");
    CHECK(reason("tree_release", {{"tree_id", id}, {"owner_id", "bob"}, {"count", 2}}) == "conflict");
}

TEST_CASE_METHOD(World, "a claim brings a scheduled tree back", "[arbor][tree]") {
    const auto id = tree();
    call("tree_release", {{"tree_id", id}});
    call("tree_claim", {{"tree_id", id}, {"owner_id", "bob"}});
    const auto tree = call("tree_get", {{"tree_id", id}})["tree"];
    CHECK(tree["state"] == "active");
    CHECK_FALSE(tree.contains("scheduled_deletion_at"));
}

TEST_CASE_METHOD(World, "a tree's time of change moves with its nodes", "[arbor][tree]") {
    const auto id = tree();
    const auto updated = [&] { return call("tree_get", {{"tree_id", id}})["tree"]["updated_at"]; };
    clock.advance(std::chrono::seconds(5));
    const auto node = text(id, root_of(id));
    CHECK(updated() == clock.seconds());
    clock.advance(std::chrono::seconds(5));
    call("node_update", {{"tree_id", id}, {"node_id", node}, {"content", "other"}});
    CHECK(updated() == clock.seconds());
    clock.advance(std::chrono::seconds(5));
    call("tree_update_metadata", {{"tree_id", id}, {"metadata", {{"x", 1}}}});
    CHECK(updated() == clock.seconds());
    CHECK(call("tree_get", {{"tree_id", id}})["tree"]["metadata"] == Json{{"x", 1}});
}

TEST_CASE_METHOD(World, "a tree too large for one frame is refused with the way to read it",
                 "[arbor][tree]") {
    settings.answer_bytes = 2000;
    reopen();
    const auto id = tree();
    const auto root = root_of(id);
    for (int i = 0; i < 30; ++i) text(id, root, "some text");
    for (const auto* method : {"tree_get", "tree_get_skeleton"}) {
        CHECK(reason(method, {{"tree_id", id}}) == "too_large");
        CHECK_THROWS_WITH(call(method, {{"tree_id", id}}), Catch::Contains("node_get_subtree"));
    }
    CHECK(reason("node_get", {{"tree_id", id}, {"node_id", root}}) == "");
    CHECK(call("node_get_children", {{"tree_id", id}, {"node_id", root}, {"limit", 10}})["children"].size() ==
          10);
}

TEST_CASE_METHOD(World, "everything is there again after a restart", "[arbor][tree]") {
    const auto id = tree();
    const auto node = text(id, root_of(id), "remember");
    const auto before = call("tree_get", {{"tree_id", id}});
    reopen();
    CHECK(call("tree_get", {{"tree_id", id}}) == before);
    CHECK(path(id, node).size() == 2);
}
