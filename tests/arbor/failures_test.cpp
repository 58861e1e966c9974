#include "tests/arbor/world.hpp"

#include <set>

using namespace plexus;
using namespace plexus::tests;

// Every method that takes ids, called with ids that are not there or belong elsewhere.
TEST_CASE_METHOD(World, "every method refuses wrong ids by name and changes nothing", "[arbor][failure]") {
    const auto id = tree(), other = tree();
    const auto node_id = text(id, root_of(id)), foreign = text(other, root_of(other));
    const Json nowhere = "01890000-0000-7000-8000-000000000000";
    const Json handle = schema::encode(vault->handle("x"));
    struct Case {
        std::string method;
        Json good;                     // parameters that are right
        std::vector<std::string> ids;  // which of them are node ids of the tree
        std::string tree_field = "tree_id";
    };
    const std::vector<Case> cases = {
        {"tree_get", {}, {}},
        {"tree_get_skeleton", {}, {}},
        {"tree_update_metadata", {{"metadata", {{"x", 1}}}}, {}},
        {"tree_claim", {}, {}},
        {"tree_release", {}, {}},
        {"tree_get_refs", {}, {}},
        {"tree_schedule_delete", {}, {}},
        {"tree_delete", {}, {}},
        {"tree_render", {{"node_id", node_id}}, {"node_id"}},
        {"node_create_text", {{"parent", node_id}, {"content", "x"}}, {"parent", "after"}},
        {"node_create_text_ephemeral", {{"parent", node_id}, {"content", "x"}}, {"parent", "after"}},
        {"node_create_external", {{"parent", node_id}, {"handle", handle}}, {"parent", "after"}},
        {"node_create_external_ephemeral", {{"parent", node_id}, {"handle", handle}}, {"parent", "after"}},
        {"node_get", {{"node_id", node_id}}, {"node_id"}},
        {"node_get_children", {{"node_id", node_id}}, {"node_id"}},
        {"node_get_parent", {{"node_id", node_id}}, {"node_id"}},
        {"node_get_subtree", {{"node_id", node_id}}, {"node_id", "cursor"}},
        {"node_get_path", {{"node_id", node_id}}, {"node_id"}},
        {"node_get_path_between", {{"from", node_id}, {"to", node_id}}, {"from", "to"}},
        {"node_update", {{"node_id", node_id}, {"content", "x"}}, {"node_id"}},
        {"node_move", {{"node_id", node_id}, {"parent", root_of(id)}}, {"node_id", "parent", "after"}},
        {"node_delete", {{"node_id", node_id}}, {"node_id"}},
        {"node_claim", {{"node_id", node_id}}, {"node_id"}},
        {"node_release", {{"node_id", node_id}}, {"node_id"}},
        {"node_get_refs", {{"node_id", node_id}}, {"node_id"}},
        {"node_schedule_delete", {{"node_id", node_id}}, {"node_id"}},
        {"node_list_scheduled", {}, {}},
        {"node_query_by_metadata", {{"metadata", {{"x", 1}}}}, {}},
        {"context_list_leaves", {}, {}},
        {"context_get_path", {{"node_id", node_id}}, {"node_id"}},
        {"context_get_handles", {{"node_id", node_id}}, {"node_id"}},
        {"detect_text_runs", {}, {}},
        {"range_get", {{"start_node", node_id}, {"end_node", node_id}}, {"start_node", "end_node"}},
        {"check", {}, {}},
        {"view_create", {}, {}, "source_tree_id"},
        {"view_collapse", {}, {}, "source_tree_id"},
        {"view_add_range", {{"start_node", node_id}, {"end_node", node_id}}, {}, "view_tree_id"},
    };
    const auto before = dump();
    for (const auto& one : cases) {
        CAPTURE(one.method);
        auto params = one.good.is_null() ? Json::object() : one.good;
        params[one.tree_field] = nowhere;
        CHECK(reason(one.method, params) == "not_found");
        CHECK_THROWS_WITH(call(one.method, params), Catch::Contains(nowhere.get<std::string>()));
        params[one.tree_field] = "not an id";
        CHECK(reason(one.method, params) == "invalid_params");
        params[one.tree_field] = id;
        for (const auto& field : one.ids) {
            CAPTURE(field);
            auto wrong = params;
            wrong[field] = nowhere;
            CHECK(reason(one.method, wrong) == "not_found");
            CHECK_THROWS_WITH(call(one.method, wrong), Catch::Contains(nowhere.get<std::string>()));
            wrong[field] = foreign;
            CHECK(reason(one.method, wrong) == "conflict");
            CHECK_THROWS_WITH(call(one.method, wrong), Catch::Contains(foreign.get<std::string>()));
            wrong[field] = 17;
            CHECK(reason(one.method, wrong) == "invalid_params");
        }
    }
    CHECK(dump() == before);
    std::set<std::string> tried{
        "tree_create", "tree_list", "tree_list_scheduled",   "tree_list_archived",
        "tree_search", "cleanup",   "tree_query_by_metadata"};  // take no id that must be
    for (const auto& one : cases) tried.insert(one.method);
    for (const auto& method : arbor->methods()) CHECK(tried.contains(method.name));
}

TEST_CASE_METHOD(World, "numbers and names out of bounds are refused", "[arbor][failure]") {
    const auto id = tree();
    const auto node_id = text(id, root_of(id));
    const auto before = dump();
    for (const auto count : {0, -1, 2'000'000'000}) {
        CHECK(reason("tree_claim", {{"tree_id", id}, {"count", count}}) == "invalid_params");
        CHECK(reason("tree_release", {{"tree_id", id}, {"count", count}}) == "invalid_params");
        CHECK(reason("node_claim", {{"tree_id", id}, {"node_id", node_id}, {"count", count}}) ==
              "invalid_params");
    }
    CHECK(reason("tree_create", {{"owner_id", ""}}) == "invalid_params");
    CHECK(reason("tree_claim", {{"tree_id", id}, {"owner_id", ""}}) == "invalid_params");
    CHECK(reason("tree_list", {{"limit", 0}}) == "invalid_params");
    CHECK(reason("tree_list", {{"state", "lost"}}) == "invalid_params");
    CHECK(reason("tree_list", {{"cursor", "-1"}}) == "invalid_params");
    CHECK(reason("tree_list", {{"cursor", "99999999999999999999"}}) == "invalid_params");
    CHECK(reason("node_get_children", {{"tree_id", id}, {"node_id", node_id}, {"limit", 0}}) ==
          "invalid_params");
    CHECK(reason("tree_update_metadata", {{"tree_id", id}}) == "invalid_params");
    CHECK(dump() == before);
}

TEST_CASE_METHOD(World, "a failed claim or release changes nothing", "[arbor][failure]") {
    const auto id = tree("ann");
    const auto before = dump();
    CHECK(reason("tree_release", {{"tree_id", id}, {"owner_id", "bob"}}) == "not_found");
    CHECK_THROWS_WITH(call("tree_release", {{"tree_id", id}, {"owner_id", "bob"}}),
                      "No reference found for owner bob");
    CHECK_THROWS_WITH(call("tree_release", {{"tree_id", id}, {"owner_id", "ann"}, {"count", 2}}),
                      "Cannot release 2 references, owner only has 1");
    CHECK(dump() == before);
}
