#include "tests/arbor/world.hpp"

using namespace plexus;
using namespace plexus::tests;

TEST_CASE_METHOD(World, "a node without a parent hangs under the root", "[arbor][node]") {
    const auto id = tree();
    const auto created =
        call("node_create_text", {{"tree_id", id}, {"content", "hello"}, {"metadata", {{"k", 1}}}});
    CHECK(created["parent"] == root_of(id));
    const auto found = node(id, created["node_id"]);
    CHECK(found["data"] == Json({{"type", "text"}, {"content", "hello"}}));
    CHECK(found["metadata"] == Json{{"k", 1}});
    CHECK(found["parent"] == root_of(id));
    CHECK(call("node_get_parent", {{"tree_id", id}, {"node_id", created["node_id"]}})["parent"] ==
          root_of(id));
    CHECK(call("node_get_parent", {{"tree_id", id}, {"node_id", root_of(id)}})["parent"].is_null());
}

TEST_CASE_METHOD(World, "children keep the order they were made in", "[arbor][node]") {
    const auto id = tree();
    const auto root = root_of(id);
    Json made = Json::array();
    for (int i = 0; i < 7; ++i) made.push_back(text(id, root));
    CHECK(children(id, root) == made);
    CHECK(node(id, root)["children"] == made);

    SECTION("and come in pages") {
        Json seen = Json::array(), params = {{"tree_id", id}, {"node_id", root}, {"limit", 3}};
        for (int pages = 1;; ++pages) {
            const auto page = call("node_get_children", params);
            for (const auto& child : page["children"]) seen.push_back(child);
            if (!page.contains("next_cursor")) {
                CHECK(pages == 3);
                break;
            }
            params["cursor"] = page["next_cursor"];
        }
        CHECK(seen == made);
    }
    SECTION("unless one is put right behind another") {
        const auto squeezed =
            call("node_create_text",
                 {{"tree_id", id}, {"parent", root}, {"content", ""}, {"after", made[2]}})["node_id"];
        const auto now = children(id, root);
        CHECK(now.size() == 8);
        CHECK(now[2] == made[2]);
        CHECK(now[3] == squeezed);
        CHECK(now[4] == made[3]);
    }
}

TEST_CASE_METHOD(World, "an external node keeps its handle and what its oldest form noted",
                 "[arbor][handle]") {
    const auto id = tree();
    vault->things["gold"] = {{"type", "thing"}};
    const auto handle = vault->handle("gold");
    const Json object = schema::encode(handle);
    const Json forms = {object, handle.text(), "vault@1.0.0::thing:gold"};
    for (const auto& form : forms) {
        const auto made = call("node_create_external", {{"tree_id", id}, {"handle", form}})["node_id"];
        CHECK(node(id, made)["data"]["handle"]["meta"] == Json::array({"gold"}));
    }
    const Json old = {{"source", "vault"},
                      {"source_version", "1.0.0"},
                      {"identifier", "gold:user"},
                      {"metadata", {{"size", 5}}}};
    const auto made = call("node_create_external", {{"tree_id", id}, {"handle", old}})["node_id"];
    CHECK(node(id, made)["metadata"] == Json{{"size", 5}});
    CHECK(node(id, made)["data"]["handle"]["method"] == "chat");
    const auto both =
        call("node_create_external",
             {{"tree_id", id}, {"handle", old}, {"metadata", {{"size", 6}, {"x", 1}}}})["node_id"];
    CHECK(node(id, both)["metadata"] == Json({{"size", 6}, {"x", 1}}));
}

TEST_CASE_METHOD(World, "a handle nobody could ever resolve is refused", "[arbor][handle]") {
    const auto id = tree();
    const auto before = dump();
    const auto refusal = [&](Json handle) {
        return reason("node_create_external", {{"tree_id", id}, {"handle", std::move(handle)}});
    };
    CHECK(refusal("nonsense") == "invalid_params");
    CHECK(refusal(42) == "invalid_params");
    CHECK(refusal("nobody@1.0.0::thing:x") == "invalid_handle");
    CHECK(refusal("vault@2.0.0::thing:x") == "invalid_handle");
    CHECK(refusal("vault@1.0.0::") == "invalid_handle");
    auto wrong = schema::encode(vault->handle("x"));
    wrong["version"] = "2.0.0";
    CHECK(refusal(wrong) == "invalid_handle");
    CHECK(refusal({{"source", "vault"}, {"source_version", "7.0"}, {"identifier", "x"}}) == "invalid_handle");
    CHECK(dump() == before);
}

TEST_CASE_METHOD(World, "a subtree comes in pages, each node before its children", "[arbor][node]") {
    const auto id = tree();
    const auto top = text(id, root_of(id), "top");
    text(id, root_of(id), "beside");
    const auto a = text(id, top, "a");
    const auto b = text(id, top, "b");
    const auto aa = text(id, a, "aa");
    const auto ab = text(id, a, "ab");
    const auto aaa = text(id, aa, "aaa");
    const auto hidden = ephemeral(id, ab, "hidden");
    const auto collect = [&](Json params) {
        Json seen = Json::array();
        for (;;) {
            const auto page = call("node_get_subtree", params);
            for (const auto& node : page["nodes"]) seen.push_back(node["id"]);
            if (!page.contains("next_cursor")) return seen;
            params["cursor"] = page["next_cursor"];
        }
    };
    for (const int limit : {1, 2, 3, 100})
        CHECK(collect({{"tree_id", id}, {"node_id", top}, {"limit", limit}}) ==
              Json::array({top, a, aa, aaa, ab, b}));
    CHECK(collect({{"tree_id", id}, {"node_id", top}, {"include_ephemeral", true}}) ==
          Json::array({top, a, aa, aaa, ab, hidden, b}));
    CHECK(collect({{"tree_id", id}, {"node_id", top}, {"max_depth", 1}, {"limit", 1}}) ==
          Json::array({top, a, b}));
    CHECK(reason("node_get_subtree", {{"tree_id", id}, {"node_id", a}, {"cursor", b}}) == "invalid_params");
}

TEST_CASE_METHOD(World, "text and metadata of a node can change, its handle cannot", "[arbor][node]") {
    const auto id = tree();
    const auto node_id = text(id, root_of(id), "old");
    const Json both = {{"tree_id", id}, {"node_id", node_id}, {"content", "new"}, {"metadata", {{"v", 2}}}};
    CHECK(call("node_update", both) ==
          Json({{"type", "node_updated"}, {"old_id", node_id}, {"new_id", node_id}}));
    CHECK(node(id, node_id)["data"]["content"] == "new");
    CHECK(node(id, node_id)["metadata"] == Json{{"v", 2}});
    CHECK(reason("node_update", {{"tree_id", id}, {"node_id", node_id}}) == "invalid_params");
    const auto external = thing(id, node_id, "x");
    CHECK(reason("node_update", {{"tree_id", id}, {"node_id", external}, {"content", "no"}}) == "conflict");
    CHECK(reason("node_update", {{"tree_id", id}, {"node_id", external}, {"metadata", {{"a", 1}}}}) == "");
    CHECK(node(id, external)["metadata"] == Json{{"a", 1}});
}

TEST_CASE_METHOD(World, "content that could not be sent back is refused", "[arbor][node]") {
    const auto id = tree();
    const auto before = dump();
    const auto refusal = [&](std::string content) {
        return reason("node_create_text", {{"tree_id", id}, {"content", std::move(content)}});
    };
    CHECK(refusal(std::string(10'000'000, 'x')) == "too_large");
    CHECK(refusal(std::string(2'000'000, '\x01')) == "too_large");
    CHECK(reason("node_create_text",
                 {{"tree_id", id}, {"content", ""}, {"metadata", {{"x", std::string(10'000'000, 'x')}}}}) ==
          "too_large");
    CHECK(reason("tree_create", {{"metadata", {{"x", std::string(2'000'000, 'x')}}}}) == "too_large");
    CHECK(dump() == before);
    const std::string large(9'000'000, 'x');
    const auto kept = text(id, root_of(id), large);
    CHECK(node(id, kept)["data"]["content"] == large);
}

TEST_CASE_METHOD(World, "text that is no UTF-8 never reaches the store", "[arbor][node]") {
    const auto id = tree_id(tree());
    const auto before = dump();
    for (const auto* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "abc\xe2\x82"}) {
        const arbor::NewNode node{trees->new_node(), {}, std::string(bad), {}, false, false, {}, ""};
        CHECK_THROWS_WITH(
            write([&](hub::Transaction& sql) { return arbor::NodeStore(sql).create(id, node, 0); }),
            Catch::Contains("UTF-8"));
    }
    CHECK(dump() == before);
}

TEST_CASE_METHOD(World, "a moved node takes all below it along", "[arbor][move]") {
    const auto id = tree();
    const auto a = text(id, root_of(id), "a"), b = text(id, root_of(id), "b");
    const auto aa = text(id, a), aaa = text(id, aa), aaaa = text(id, aaa), aab = text(id, aa);
    const auto bb = text(id, b), bbb = text(id, bb);
    CHECK(call("node_move", {{"tree_id", id}, {"node_id", aa}, {"parent", bbb}})["parent"] == bbb);
    CHECK(children(id, a).empty());
    CHECK(children(id, bbb) == Json::array({aa}));
    CHECK(path(id, aaaa) == Json::array({root_of(id), b, bb, bbb, aa, aaa, aaaa}));
    CHECK(path(id, aab) == Json::array({root_of(id), b, bb, bbb, aa, aab}));
    CHECK(sound());
    const auto deeper = text(id, aaaa);
    CHECK(path(id, deeper).size() == 8);
    call("node_move", {{"tree_id", id}, {"node_id", b}, {"parent", a}});
    CHECK(path(id, deeper).size() == 9);
    CHECK(sound());
}

TEST_CASE_METHOD(World, "a move can change the order of siblings", "[arbor][move]") {
    const auto id = tree();
    const auto root = root_of(id);
    const auto a = text(id, root), b = text(id, root), c = text(id, root);
    call("node_move", {{"tree_id", id}, {"node_id", a}, {"parent", root}, {"after", b}});
    CHECK(children(id, root) == Json::array({b, a, c}));
    call("node_move", {{"tree_id", id}, {"node_id", b}, {"parent", root}});
    CHECK(children(id, root) == Json::array({a, c, b}));
    CHECK(reason("node_move", {{"tree_id", id}, {"node_id", a}, {"parent", root}, {"after", a}}) ==
          "conflict");
}

TEST_CASE_METHOD(World, "moves that would break the tree are refused", "[arbor][move]") {
    const auto id = tree(), other = tree();
    const auto a = text(id, root_of(id)), aa = text(id, a), aaa = text(id, aa), b = text(id, root_of(id));
    const auto foreign = text(other, root_of(other));
    const auto fleeting = ephemeral(id, b);
    const auto before = dump();
    const auto refusal = [&](Json node, Json parent) {
        return reason("node_move", {{"tree_id", id}, {"node_id", node}, {"parent", parent}});
    };
    CHECK(refusal(a, a) == "conflict");
    CHECK(refusal(a, aaa) == "conflict");
    CHECK(refusal(root_of(id), a) == "conflict");
    CHECK(refusal(a, foreign) == "conflict");
    CHECK(refusal(foreign, a) == "conflict");
    CHECK(refusal(a, fleeting) == "conflict");
    CHECK(refusal(a, tree_id(id) == tree_id(other) ? a : id) == "not_found");
    CHECK(dump() == before);
}

TEST_CASE_METHOD(World, "a deleted node takes all below it along", "[arbor][delete]") {
    const auto id = tree();
    const auto a = text(id, root_of(id)), aa = text(id, a), aaa = text(id, aa), ab = text(id, a);
    stream(id, aa, 5);
    CHECK(call("node_delete", {{"tree_id", id}, {"node_id", aa}})["deleted"] == 2);
    CHECK(children(id, a) == Json::array({ab}));
    CHECK(reason("node_get", {{"tree_id", id}, {"node_id", aaa}}) == "not_found");
    CHECK(sound());
    CHECK(read([](hub::Transaction& sql) {
              static const hub::Statement count{"count", "SELECT count(*) FROM chat_events"};
              auto rows = sql.query(count);
              rows.next();
              return rows->integer(0);
          }) == 0);
}

TEST_CASE_METHOD(World, "what somebody needs is not deleted", "[arbor][delete]") {
    const auto id = tree();
    const auto a = text(id, root_of(id)), aa = text(id, a);
    call("node_claim", {{"tree_id", id}, {"node_id", aa}, {"owner_id", "ann"}});
    CHECK(reason("node_delete", {{"tree_id", id}, {"node_id", a}}) == "conflict");
    call("node_release", {{"tree_id", id}, {"node_id", aa}, {"owner_id", "ann"}});
    heads = {node_id(aa)};
    CHECK(reason("node_delete", {{"tree_id", id}, {"node_id", a}}) == "conflict");
    CHECK(reason("node_schedule_delete", {{"tree_id", id}, {"node_id", a}}) == "conflict");
    heads.clear();
    CHECK(reason("node_delete", {{"tree_id", id}, {"node_id", root_of(id)}}) == "conflict");
    CHECK(reason("node_delete", {{"tree_id", id}, {"node_id", a}}) == "");
}
