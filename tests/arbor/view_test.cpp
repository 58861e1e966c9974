#include "tests/arbor/world.hpp"

using namespace plexus;
using namespace plexus::tests;

namespace {

struct ViewWorld : World {
    Json id = tree();
    Json root_id = root_of(id);
    // root ─ a ─ b ─ c ─ (thing) ─ d ─ e
    //                 └─ f
    Json a = text(id, root_id, "one "), b = text(id, a, R"({"type":"content_text","text":"zwö "})");
    Json c = text(id, b, "three"), outside = thing(id, c, "x"), d = text(id, outside, "4"),
         e = text(id, d, "5");
    Json f = text(id, c, "alone");
};

// Every node of a tree as its texts from the root, to compare shapes without ids.
std::vector<std::string> lines(World& world, const Json& tree) {
    std::vector<std::string> result;
    const auto all = world.call("node_get_subtree", {{"tree_id", tree}, {"node_id", world.root_of(tree)}});
    for (const auto& node : all["nodes"]) {
        std::string line;
        const auto path = world.call("context_get_path", {{"tree_id", tree}, {"node_id", node["id"]}});
        for (const auto& above : path["nodes"]) line += "/" + above["data"].value("content", "*");
        result.push_back(line);
    }
    return result;
}

}  // namespace

TEST_CASE_METHOD(ViewWorld, "lines of text nodes are found, with their characters counted", "[arbor][view]") {
    const auto runs = call("detect_text_runs", {{"tree_id", id}})["runs"];
    REQUIRE(runs.size() == 2);
    CHECK(runs[0] == Json({{"start_node", a}, {"end_node", c}, {"length", 3}, {"char_count", 13}}));
    CHECK(runs[1] == Json({{"start_node", d}, {"end_node", e}, {"length", 2}, {"char_count", 2}}));
    CHECK(call("detect_text_runs", {{"tree_id", id}, {"min_length", 3}})["runs"].size() == 1);
    CHECK(call("detect_text_runs", {{"tree_id", id}, {"min_length", 1}})["runs"].size() == 3);
}

TEST_CASE_METHOD(ViewWorld, "a collapsed view is one tree in which every node is reachable",
                 "[arbor][view]") {
    const auto collapsed = call("view_collapse", {{"source_tree_id", id}, {"owner_id", "ann"}});
    CHECK(collapsed["source_tree_id"] == id);
    CHECK(collapsed["collapsed_runs"] == 2);
    const auto view = collapsed["view_tree_id"];
    const auto tree = call("tree_get", {{"tree_id", view}})["tree"];
    CHECK(tree["metadata"]["is_view"] == true);
    CHECK(tree["metadata"]["source_tree"] == id);
    CHECK(tree["refs"]["owners"] == Json{{"ann", 1}});
    int roots = 0;
    for (const auto& [key, node] : tree["nodes"].items()) roots += node["parent"].is_null();
    CHECK(roots == 1);
    const std::string first = R"({"type":"content_text","text":"one zwö three"})";
    CHECK(lines(*this, view) ==
          std::vector<std::string>{"/", "//" + first, "//" + first + "/*",
                                   "//" + first + R"(/*/{"type":"content_text","text":"45"})",
                                   "//" + first + "/alone"});
    const auto merged = children(view, root_of(view))[0];
    CHECK(node(view, merged)["metadata"]["range_handle"] ==
          Json({{"tree_id", id},
                {"start_node", a},
                {"end_node", c},
                {"collapse_type", {{"type", "text_merge"}}}}));
    CHECK(sound());
    CHECK(call("tree_get", {{"tree_id", id}})["tree"]["nodes"].size() == 8);
}

TEST_CASE_METHOD(ViewWorld, "a range is shown as asked for", "[arbor][view]") {
    Json params = {{"tree_id", id}, {"start_node", b}, {"end_node", d}};
    auto content = call("range_get", params)["content"];
    CHECK(content == Json({{"type", "text"},
                           {"content", "zwö three4"},
                           {"node_count", 4},
                           {"node_ids", {b, c, outside, d}}}));
    params["collapse_type"] = {{"type", "structure_ref"}};
    content = call("range_get", params)["content"];
    CHECK(content["type"] == "reference");
    CHECK(content["node_count"] == 4);
    params["collapse_type"] = {{"type", "custom"}, {"strategy", "summary"}, {"metadata", {{"x", 1}}}};
    content = call("range_get", params)["content"];
    CHECK(content ==
          Json({{"type", "custom"}, {"strategy", "summary"}, {"node_count", 4}, {"metadata", {{"x", 1}}}}));
    params["collapse_type"] = {{"type", "nonsense"}};
    CHECK(reason("range_get", params) == "invalid_params");
    CHECK(reason("range_get", {{"tree_id", id}, {"start_node", d}, {"end_node", b}}) == "conflict");
    CHECK(reason("range_get", {{"tree_id", id}, {"start_node", f}, {"end_node", e}}) == "conflict");
}

TEST_CASE_METHOD(ViewWorld, "ranges can be put into a view of one's own", "[arbor][view]") {
    const auto created = call("view_create", {{"source_tree_id", id}});
    CHECK(created["source_tree_id"] == id);
    const auto view = created["view_tree_id"];
    const auto added = call("view_add_range", {{"view_tree_id", view}, {"start_node", a}, {"end_node", c}});
    CHECK(added["type"] == "range_added");
    const auto range = node(view, added["range_node_id"]);
    CHECK(range["data"]["content"] == "one zwö three");
    CHECK(range["metadata"]["range_handle"]["start_node"] == a);
    const auto before = dump();
    CHECK(reason("view_add_range", {{"view_tree_id", id}, {"start_node", a}, {"end_node", c}}) == "conflict");
    CHECK(reason("view_add_range", {{"view_tree_id", view}, {"start_node", c}, {"end_node", a}}) ==
          "conflict");
    CHECK(reason("view_add_range",
                 {{"view_tree_id", view}, {"parent", a}, {"start_node", a}, {"end_node", c}}) == "conflict");
    CHECK(reason("view_create", {{"source_tree_id", a}}) == "not_found");
    CHECK(dump() == before);
}
