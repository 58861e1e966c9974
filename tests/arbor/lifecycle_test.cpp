#include "activations/arbor/cleanup_store.hpp"
#include "tests/arbor/world.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

using namespace plexus;
using namespace plexus::tests;

TEST_CASE_METHOD(World, "a tree nobody holds is archived after 7 days and gone after 30 more",
                 "[arbor][lifecycle]") {
    const auto id = tree(), kept = tree();
    const auto node = text(id, root_of(id));
    stream(id, node, 10);
    call("tree_release", {{"tree_id", id}});
    const auto held = dump();

    clock.advance(7 * day - std::chrono::seconds(1));
    CHECK(call("cleanup")["trees_archived"].empty());
    CHECK(dump() == held);
    clock.advance(std::chrono::seconds(1));
    CHECK(call("cleanup", {{"dry_run", true}})["trees_archived"] == Json::array({id}));
    CHECK(dump() == held);
    CHECK(call("cleanup")["trees_archived"] == Json::array({id}));
    CHECK(call("tree_list_archived")["tree_ids"] == Json::array({id}));
    CHECK(call("tree_list_scheduled")["tree_ids"].empty());
    CHECK(reason("tree_get", {{"tree_id", id}}) == "archived");
    CHECK(reason("tree_claim", {{"tree_id", id}}) == "archived");
    CHECK(reason("node_create_text", {{"tree_id", id}, {"content", ""}}) == "archived");
    CHECK(call("node_get", {{"tree_id", id}, {"node_id", node}})["node"]["id"] == node);

    clock.advance(30 * day - std::chrono::seconds(1));
    CHECK(call("cleanup")["trees_purged"].empty());
    clock.advance(std::chrono::seconds(1));
    CHECK(call("cleanup")["trees_purged"] == Json::array({id}));
    CHECK(reason("tree_get", {{"tree_id", id}}) == "not_found");
    CHECK(call("tree_list")["tree_ids"] == Json::array({kept}));
    CHECK(sound());
    CHECK(read([](hub::Transaction& sql) {
              static const hub::Statement count{
                  "count",
                  "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM chains) "
                  "+ (SELECT count(*) FROM chat_events)"};
              auto rows = sql.query(count);
              rows.next();
              return rows->integer(0);
          }) == 1);
}

TEST_CASE_METHOD(World, "the times are settings", "[arbor][lifecycle]") {
    settings.archive_after = std::chrono::hours(1);
    settings.purge_after = std::chrono::hours(2);
    reopen();
    const auto id = tree();
    call("tree_release", {{"tree_id", id}});
    clock.advance(std::chrono::hours(1));
    CHECK(call("cleanup")["trees_archived"].size() == 1);
    clock.advance(std::chrono::hours(2));
    CHECK(call("cleanup")["trees_purged"].size() == 1);
}

TEST_CASE_METHOD(World, "a tree with a head in it is never purged", "[arbor][lifecycle]") {
    const auto id = tree();
    const auto node = text(id, root_of(id));
    heads = {node_id(node)};
    call("tree_release", {{"tree_id", id}});
    clock.advance(100 * day);
    CHECK(call("cleanup")["kept"] == 1);
    CHECK(call("tree_list_scheduled")["tree_ids"] == Json::array({id}));
    CHECK(reason("tree_delete", {{"tree_id", id}}) == "conflict");
    heads.clear();
    call("cleanup");
    heads = {node_id(node)};
    clock.advance(100 * day);
    call("cleanup");
    CHECK(reason("node_get", {{"tree_id", id}, {"node_id", node}}) == "");
    heads.clear();
    call("cleanup");
    CHECK(reason("node_get", {{"tree_id", id}, {"node_id", node}}) == "not_found");
}

TEST_CASE_METHOD(World, "an ephemeral node is hidden unless asked for, and goes on schedule",
                 "[arbor][ephemeral]") {
    const auto id = tree();
    const auto root = root_of(id);
    const auto stays = text(id, root, "stays");
    const auto fleeting = ephemeral(id, stays, "fleeting");
    const auto below = text(id, fleeting, "below");

    CHECK(children(id, stays).empty());
    CHECK(children(id, stays, true) == Json::array({fleeting}));
    CHECK(call("tree_get", {{"tree_id", id}})["tree"]["nodes"].size() == 2);
    CHECK(call("tree_get", {{"tree_id", id}, {"include_ephemeral", true}})["tree"]["nodes"].size() == 4);
    CHECK(call("tree_render", {{"tree_id", id}})["render"].get<std::string>().find("fleeting") ==
          std::string::npos);
    CHECK(call("tree_search", {{"query", "fleeting"}})["matches"].empty());
    const auto seen = node(id, fleeting);
    CHECK(seen["state"] == "scheduled_delete");
    CHECK(seen["refs"]["ref_count"] == 0);
    CHECK(seen["scheduled_deletion_at"] == clock.seconds());
    CHECK(node(id, below)["state"] == "scheduled_delete");
    CHECK(path(id, below) == Json::array({root, stays, fleeting, below}));
    CHECK(call("node_list_scheduled", {{"tree_id", id}})["node_ids"] == Json::array({fleeting, below}));

    clock.advance(7 * day);
    CHECK(call("cleanup")["nodes_archived"] == 2);
    CHECK(node(id, fleeting)["state"] == "archived");
    CHECK(reason("node_create_text", {{"tree_id", id}, {"parent", below}, {"content", ""}}) == "conflict");
    CHECK(reason("node_claim", {{"tree_id", id}, {"node_id", below}}) == "archived");
    clock.advance(30 * day);
    CHECK(call("cleanup", {{"dry_run", true}})["nodes_purged"] == 2);
    CHECK(call("cleanup")["nodes_purged"] == 2);
    CHECK(reason("node_get", {{"tree_id", id}, {"node_id", below}}) == "not_found");
    CHECK(children(id, stays, true).empty());
    CHECK(sound());
}

TEST_CASE_METHOD(World, "a node whose time is up waits for what was added below it later",
                 "[arbor][ephemeral]") {
    const auto id = tree();
    const auto early = ephemeral(id, root_of(id));
    clock.advance(5 * day);
    const auto late = text(id, early);
    clock.advance(2 * day);
    CHECK(call("cleanup")["nodes_archived"] == 1);
    clock.advance(30 * day);
    CHECK(call("cleanup", {{"dry_run", true}})["nodes_purged"] == 0);
    const auto report = call("cleanup");
    CHECK(report["nodes_archived"] == 1);
    CHECK(report["nodes_purged"] == 0);
    CHECK(node(id, late)["state"] == "archived");
    clock.advance(30 * day);
    CHECK(call("cleanup")["nodes_purged"] == 2);
    CHECK(sound());
}

TEST_CASE_METHOD(World, "a claim keeps an ephemeral node, what is below it and the way to it",
                 "[arbor][ephemeral]") {
    const auto id = tree();
    const auto turn = ephemeral(id, root_of(id), "turn");
    const auto user = ephemeral(id, turn, "user"), answer = ephemeral(id, turn, "answer");
    const auto block = ephemeral(id, answer, "block");
    const auto state = [&](const Json& node_id) { return node(id, node_id)["state"].get<std::string>(); };
    CHECK(call("node_claim", {{"tree_id", id}, {"node_id", answer}, {"owner_id", "ann"}})["new_count"] == 1);
    CHECK(state(turn) == "active");
    CHECK(state(answer) == "active");
    CHECK(state(block) == "active");
    CHECK(state(user) == "scheduled_delete");
    CHECK(node(id, answer)["refs"] == Json({{"ref_count", 1}, {"owners", {{"ann", 1}}}}));

    call("node_claim", {{"tree_id", id}, {"node_id", turn}, {"owner_id", "bob"}});
    CHECK(state(user) == "active");
    CHECK(state(ephemeral(id, user, "new below a claimed one")) == "active");
    call("node_release", {{"tree_id", id}, {"node_id", answer}, {"owner_id", "ann"}});
    CHECK(state(block) == "active");
    CHECK(reason("node_schedule_delete", {{"tree_id", id}, {"node_id", answer}}) == "conflict");
    clock.advance(100 * day);
    CHECK(call("cleanup")["nodes_archived"] == 0);
    CHECK(call("node_release", {{"tree_id", id}, {"node_id", turn}, {"owner_id", "bob"}})["new_count"] == 0);
    for (const auto& one : {turn, user, answer, block}) {
        CHECK(state(one) == "scheduled_delete");
        CHECK(node(id, one)["scheduled_deletion_at"] == clock.seconds());
    }
    CHECK(sound());
}

TEST_CASE_METHOD(World, "claims on an ordinary node come and go without harm", "[arbor][ephemeral]") {
    const auto id = tree();
    const auto node_id = text(id, root_of(id));
    const Json params = {{"tree_id", id}, {"node_id", node_id}, {"owner_id", "ann"}, {"count", 2}};
    CHECK(call("node_claim", params)["new_count"] == 2);
    CHECK(call("node_get_refs", {{"tree_id", id}, {"node_id", node_id}})["refs"] ==
          Json({{"ref_count", 3}, {"owners", {{"ann", 2}}}}));
    CHECK(reason("node_release", {{"tree_id", id}, {"node_id", node_id}, {"owner_id", "bob"}}) ==
          "not_found");
    CHECK(reason("node_release",
                 {{"tree_id", id}, {"node_id", node_id}, {"owner_id", "ann"}, {"count", 3}}) == "conflict");
    CHECK(call("node_release", params)["new_count"] == 0);
    CHECK(node(id, node_id)["state"] == "active");
    CHECK(sound());
}

TEST_CASE_METHOD(World, "a branch can be scheduled, and claimed back in time", "[arbor][lifecycle]") {
    const auto id = tree();
    const auto a = text(id, root_of(id)), aa = text(id, a), b = text(id, root_of(id));
    const auto scheduled = call("node_schedule_delete", {{"tree_id", id}, {"node_id", a}});
    CHECK(scheduled["type"] == "node_scheduled_deletion");
    CHECK(scheduled["scheduled_at"] == clock.seconds());
    CHECK(children(id, root_of(id)) == Json::array({b}));
    clock.advance(day);
    CHECK(call("node_schedule_delete", {{"tree_id", id}, {"node_id", a}})["scheduled_at"] ==
          clock.seconds() - 86400);
    call("node_claim", {{"tree_id", id}, {"node_id", a}});
    CHECK(children(id, root_of(id)) == Json::array({a, b}));
    CHECK(node(id, aa)["state"] == "active");
    CHECK(sound());
    CHECK(reason("node_schedule_delete", {{"tree_id", id}, {"node_id", root_of(id)}}) == "conflict");
}

TEST_CASE_METHOD(World, "an ephemeral branch with a head in it stays whole", "[arbor][ephemeral]") {
    const auto id = tree();
    const auto turn = ephemeral(id, root_of(id)), user = ephemeral(id, turn), answer = ephemeral(id, turn);
    heads = {node_id(answer)};
    clock.advance(50 * day);
    CHECK(call("cleanup")["kept"] == 3);
    CHECK(node(id, user)["state"] == "scheduled_delete");
    heads.clear();
    call("cleanup");
    heads = {node_id(answer)};
    clock.advance(50 * day);
    CHECK(call("cleanup")["nodes_purged"] == 0);
    CHECK(children(id, turn, true).size() == 2);
    heads.clear();
    CHECK(call("cleanup")["nodes_purged"] == 3);
}

TEST_CASE_METHOD(World, "a head that comes between plan and purge is not overrun", "[arbor][lifecycle]") {
    const auto id = tree();
    const auto turn = ephemeral(id, root_of(id)), answer = ephemeral(id, turn);
    clock.advance(7 * day);
    call("cleanup");
    clock.advance(30 * day);
    const arbor::Deadlines deadlines{clock.seconds(), clock.seconds(), clock.seconds()};
    const auto plan =
        read([&](hub::Transaction& sql) { return arbor::CleanupStore(sql, {}).plan(deadlines); });
    REQUIRE(plan.purge_nodes.size() == 2);
    const auto purge = [&](std::vector<NodeId> now) {
        return write([&](hub::Transaction& sql) {
            return arbor::CleanupStore(sql, now).purge_nodes(plan.purge_nodes, deadlines).nodes;
        });
    };
    CHECK(purge({node_id(answer)}) == 0);
    CHECK(purge({}) == 2);
}

TEST_CASE_METHOD(World, "a tree can be deleted at once, but not from under its owners",
                 "[arbor][lifecycle]") {
    const auto id = tree("ann");
    for (int i = 0; i < 30; ++i) text(id, root_of(id));
    const auto before = dump();
    CHECK(reason("tree_delete", {{"tree_id", id}}) == "conflict");
    CHECK(reason("tree_schedule_delete", {{"tree_id", id}}) == "conflict");
    CHECK(dump() == before);
    CHECK(call("tree_schedule_delete", {{"tree_id", id}, {"force", true}})["scheduled_at"] ==
          clock.seconds());
    CHECK(call("tree_get_refs", {{"tree_id", id}})["refs"]["ref_count"] == 0);
    CHECK(call("tree_delete", {{"tree_id", id}})["tree_id"] == id);
    CHECK(reason("tree_delete", {{"tree_id", id}}) == "not_found");
    CHECK(call("tree_list_scheduled")["tree_ids"].empty());
    CHECK(sound());
}

TEST_CASE_METHOD(World, "a purge that was cut short is finished by the next cleanup", "[arbor][lifecycle]") {
    const auto id = tree();
    for (int i = 0; i < 5; ++i) text(id, root_of(id));
    write([&](hub::Transaction& sql) {
        arbor::TreeStore trees_now(sql);
        static const hub::Statement mark{"mark", "UPDATE trees SET state = 3"};
        return sql.execute(mark);
    });
    CHECK(reason("tree_get", {{"tree_id", id}}) == "not_found");
    CHECK(reason("tree_claim", {{"tree_id", id}}) == "not_found");
    CHECK(call("tree_list")["tree_ids"].empty());
    reopen();
    call("cleanup");
    CHECK(dump().find(std::string(reinterpret_cast<const char*>(tree_id(id).data), 16)) == std::string::npos);
}

TEST_CASE_METHOD(World, "the timer cleans up by itself", "[arbor][lifecycle]") {
    using namespace boost::asio::experimental::awaitable_operators;
    const auto id = tree();
    call("tree_release", {{"tree_id", id}});
    const auto watch = [&]() -> hub::awaitable<void> {
        for (const auto* list : {"arbor.tree_list_archived", ""}) {
            while (clock.sleepers() == 0) co_await pause(std::chrono::milliseconds(1));
            clock.advance(31 * day);
            co_await pause(std::chrono::milliseconds(1));
            while (clock.sleepers() == 0) co_await pause(std::chrono::milliseconds(1));
            if (!*list) continue;
            FakeOutlet outlet;
            co_await root->invoke(list, Json::object(), outlet);
            CHECK(outlet.items[0]["tree_ids"] == Json::array({id}));
        }
    };
    run(loop, [](auto timer, auto body) -> hub::awaitable<void> {
        co_await (std::move(timer) || body());
    }(arbor->run_cleanup_timer(), watch));
    CHECK(reason("tree_get", {{"tree_id", id}}) == "not_found");
}
