#include "tests/arbor/world.hpp"

using namespace plexus;
using namespace plexus::tests;
using arbor::NewNode;
using arbor::NodeStore;
using arbor::Paths;
using arbor::TreeStore;
using hub::Transaction;

namespace {

// How many parts a path is read in.
std::size_t spans(World& world, const Json& tree, const Json& node) {
    return world.read([&](Transaction& sql) {
        const auto found = NodeStore(sql).find(TreeStore(sql).get(tree_id(tree)), node_id(node));
        return Paths(sql).to(found).spans.size();
    });
}

// A turn as claudecode makes it: a user message, messages with blocks; the last one is the head.
NodeId add_turn(World& world, Transaction& sql, TreeId tree, NodeId head, int messages) {
    NodeStore nodes(sql);
    const auto add = [&](NodeId parent, bool leaf) {
        const NewNode node{world.trees->new_node(), parent, std::string("x"), {}, false, leaf, {}, ""};
        nodes.create(tree, node, 0);
        return node.id;
    };
    const auto turn = add(head, false);
    add(turn, false);
    for (int i = 0; i < messages; ++i) {
        head = add(turn, false);
        add(head, true);
        add(head, true);
    }
    return head;
}

}  // namespace

TEST_CASE_METHOD(World, "a straight conversation is one run however many messages a turn has",
                 "[arbor][path]") {
    const auto id = tree();
    auto head = node_id(root_of(id));
    const auto last = write([&](Transaction& sql) {
        for (int turn = 0; turn < 50; ++turn) head = add_turn(*this, sql, tree_id(id), head, 1 + turn % 3);
        return head;
    });
    CHECK(spans(*this, id, to_text(last)) <= 2);
    CHECK(path(id, to_text(last)).size() == 101);
    CHECK(sound());

    SECTION("and a fork costs one more") {
        const auto fork = path(id, to_text(last))[40];
        const auto branch = write([&](Transaction& sql) {
            auto at = node_id(fork);
            for (int turn = 0; turn < 10; ++turn) at = add_turn(*this, sql, tree_id(id), at, 2);
            return at;
        });
        CHECK(spans(*this, id, to_text(branch)) <= 3);
        CHECK(path(id, to_text(branch)).size() == 61);
        CHECK(sound());
    }
}

TEST_CASE_METHOD(World, "a line that always goes on at the second child is one run", "[arbor][path]") {
    const auto id = tree();
    auto at = root_of(id);
    for (int i = 0; i < 20; ++i) {
        text(id, at, "dead end");
        at = text(id, at, "goes on");
    }
    CHECK(spans(*this, id, at) <= 2);
    CHECK(path(id, at).size() == 21);
}

TEST_CASE_METHOD(World, "a path can be read in pages", "[arbor][path]") {
    const auto id = tree();
    auto at = root_of(id);
    Json whole = Json::array({at});
    for (int i = 0; i < 9; ++i) whole.push_back(at = text(id, at, std::to_string(i)));
    CHECK(path(id, at) == whole);
    for (const auto* method : {"node_get_path", "context_get_path"}) {
        Json seen = Json::array(), params = {{"tree_id", id}, {"node_id", at}, {"limit", 4}};
        for (;;) {
            const auto page = call(method, params);
            if (page.contains("path")) seen.insert(seen.end(), page["path"].begin(), page["path"].end());
            else
                for (const auto& node : page["nodes"]) seen.push_back(node["id"]);
            if (!page.contains("next_cursor")) break;
            params["cursor"] = page["next_cursor"];
        }
        CHECK(seen == whole);
    }
    CHECK(reason("node_get_path", {{"tree_id", id}, {"node_id", at}, {"cursor", "10"}}) == "invalid_params");
    CHECK(reason("node_get_path", {{"tree_id", id}, {"node_id", at}, {"cursor", "x"}}) == "invalid_params");
    CHECK(reason("node_get_path", {{"tree_id", id}, {"node_id", at}, {"limit", 0}}) == "invalid_params");
}

TEST_CASE_METHOD(World, "the context of a node is its path with all it holds", "[arbor][path]") {
    const auto id = tree();
    const auto a = text(id, root_of(id), "a");
    const auto b = thing(id, a, "one");
    text(id, a, "aside");
    const auto c = text(id, b, "c");
    const auto d = thing(id, c, "two");
    const auto nodes = call("context_get_path", {{"tree_id", id}, {"node_id", d}})["nodes"];
    REQUIRE(nodes.size() == 5);
    for (const auto& one : nodes) CHECK(one == node(id, one["id"]));
    CHECK(nodes[1]["children"].size() == 2);
    const auto handles = call("context_get_handles", {{"tree_id", id}, {"node_id", d}})["handles"];
    CHECK(handles ==
          Json::array({schema::encode(vault->handle("one")), schema::encode(vault->handle("two"))}));
}

TEST_CASE_METHOD(World, "the way between two nodes goes over what they share", "[arbor][path]") {
    const auto id = tree();
    const auto a = text(id, root_of(id)), b = text(id, a), c = text(id, b), d = text(id, a), e = text(id, d);
    const auto between = [&](Json from, Json to) {
        return call("node_get_path_between", {{"tree_id", id}, {"from", from}, {"to", to}})["path"];
    };
    CHECK(between(a, c) == Json::array({a, b, c}));
    CHECK(between(c, a) == Json::array({c, b, a}));
    CHECK(between(c, e) == Json::array({c, b, a, d, e}));
    CHECK(between(b, b) == Json::array({b}));
    CHECK(between(root_of(id), e) == Json::array({root_of(id), a, d, e}));
}

TEST_CASE_METHOD(World, "leaves are the nodes without children", "[arbor][path]") {
    const auto id = tree();
    CHECK(call("context_list_leaves", {{"tree_id", id}})["leaves"] == Json::array({root_of(id)}));
    const auto a = text(id, root_of(id)), b = text(id, a), c = text(id, a);
    ephemeral(id, c);
    CHECK(call("context_list_leaves", {{"tree_id", id}})["leaves"] == Json::array({b, c}));
    const auto page = call("context_list_leaves", {{"tree_id", id}, {"limit", 1}});
    CHECK(page["leaves"] == Json::array({b}));
    CHECK(call("context_list_leaves", {{"tree_id", id}, {"cursor", page["next_cursor"]}})["leaves"] ==
          Json::array({c}));
}

TEST_CASE_METHOD(World, "a chain of a hundred thousand nodes is a few parts", "[arbor][path]") {
    const auto id = tree();
    auto at = node_id(root_of(id));
    write([&](Transaction& sql) {
        for (int i = 0; i < 100'000; ++i) {
            const NewNode node{trees->new_node(), at, std::string("x"), {}, false, false, {}, ""};
            NodeStore(sql).create(tree_id(id), node, 0);
            at = node.id;
        }
        return 0;
    });
    CHECK(spans(*this, id, to_text(at)) <= 2);
    CHECK(path(id, to_text(at)).size() == 100'001);
    CHECK(reason("context_get_path", {{"tree_id", id}, {"node_id", to_text(at)}}) == "too_large");
    CHECK(call("context_get_path",
               {{"tree_id", id}, {"node_id", to_text(at)}, {"limit", 10}, {"cursor", "99995"}})["nodes"]
              .size() == 6);
    const auto render = call("tree_render", {{"tree_id", id}});
    CHECK(render["node_count"] == 100'001);
    CHECK(render["render"].get_ref<const std::string&>().size() < 10'000'000);
    CHECK(call("node_delete", {{"tree_id", id}, {"node_id", path(id, to_text(at))[1]}})["deleted"] ==
          100'000);
}
