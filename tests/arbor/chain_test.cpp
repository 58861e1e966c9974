#include "tests/arbor/world.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

using namespace plexus;
using namespace plexus::tests;
using arbor::ChainStore;
using arbor::Event;
using hub::awaitable;
using hub::Transaction;

namespace {

struct ChainWorld : World {
    Json id = tree();
    Json user = text(id, root_of(id), "user message");
    Json block = text(id, user, "a child");
    ChainId chain = stream(id, user, 3);

    std::vector<Event> events(int count, const std::string& payload = R"({"type":"tick"})") {
        std::vector<Event> list;
        for (int i = 0; i < count; ++i)
            list.push_back({0, trees->new_node(), "tick", clock.milliseconds(), payload});
        return list;
    }
    std::vector<NodeId> event_ids() {
        std::vector<NodeId> list;
        for (const auto& event : stored()) list.push_back(event->id);
        return list;
    }
    arbor::Events stored() {
        return read([&](Transaction& sql) {
            ChainStore chains(sql);
            return chains.read_after(chains.get(chain).key, 0, 1000, 1 << 30);
        });
    }
    std::string sql_reason(auto work) {
        try {
            write(work);
        } catch (const schema::Failure& failure) {
            return failure.error().reason;
        }
        return "";
    }
};

}  // namespace

TEST_CASE_METHOD(ChainWorld, "events are numbered from 1 without gaps and keep their text",
                 "[arbor][chain]") {
    const auto odd = std::string("{\"text\":\"\\u0000 é  two  spaces\"}");
    run(loop, [this, odd]() -> awaitable<void> {
        CHECK(co_await trees->streams().append(chain, events(2, odd)) == 4);
        CHECK(co_await trees->streams().append(chain, events(1)) == 6);
    }());
    reopen();
    const auto list = stored();
    REQUIRE(list.size() == 6);
    for (std::size_t i = 0; i < list.size(); ++i) CHECK(list[i]->seq == std::int64_t(i) + 1);
    CHECK(list[3]->payload == odd);
    CHECK(list[3]->type == "tick");
    CHECK(list[3]->created_at == clock.milliseconds());
    CHECK(sound());
}

TEST_CASE_METHOD(ChainWorld, "events are nodes below the node their stream hangs under", "[arbor][chain]") {
    const auto list = event_ids();
    const auto text_of = [&](std::size_t i) { return Json(to_text(list[i])); };
    CHECK(children(id, user) == Json::array({block, text_of(0)}));
    CHECK(children(id, text_of(0)) == Json::array({text_of(1)}));
    CHECK(children(id, text_of(2)).empty());
    const auto second = node(id, text_of(1));
    CHECK(second["parent"] == text_of(0));
    CHECK(second["data"]["type"] == "external");
    CHECK(second["data"]["handle"]["plugin_id"] == to_text(vault->id()));
    CHECK(second["data"]["handle"]["method"] == "event");
    CHECK(second["data"]["handle"]["meta"] == Json::array({text_of(1), "tick"}));
    CHECK(second["created_at"] == clock.seconds());
    CHECK(call("node_get_parent", {{"tree_id", id}, {"node_id", text_of(0)}})["parent"] == user);
    CHECK(path(id, text_of(2)) == Json::array({root_of(id), user, text_of(0), text_of(1), text_of(2)}));
    const auto nodes = call("context_get_path", {{"tree_id", id}, {"node_id", text_of(2)}})["nodes"];
    for (const auto& one : nodes) CHECK(one == node(id, one["id"]));
    CHECK(call("context_get_handles", {{"tree_id", id}, {"node_id", text_of(2)}})["handles"].size() == 3);
    CHECK(
        call("node_get_path_between", {{"tree_id", id}, {"from", text_of(0)}, {"to", text_of(2)}})["path"] ==
        Json::array({text_of(0), text_of(1), text_of(2)}));
    CHECK(call("node_get_path_between", {{"tree_id", id}, {"from", block}, {"to", text_of(0)}})["path"] ==
          Json::array({block, user, text_of(0)}));

    const auto plain = call("tree_get", {{"tree_id", id}})["tree"]["nodes"];
    CHECK(plain.size() == 3);
    CHECK(plain[user.get<std::string>()]["children"] == Json::array({block}));
    const auto full = call("tree_get", {{"tree_id", id}, {"include_events", true}})["tree"]["nodes"];
    REQUIRE(full.size() == 6);
    for (const auto& [key, value] : full.items()) CHECK(value == node(id, key));
    CHECK(
        call("tree_get_skeleton", {{"tree_id", id}, {"include_events", true}})["skeleton"]["nodes"].size() ==
        6);
}

TEST_CASE_METHOD(ChainWorld, "events below a hidden node are as hidden as it is", "[arbor][chain]") {
    const auto fleeting = ephemeral(id, user);
    stream(id, fleeting, 4);
    Json params = {{"tree_id", id}, {"include_events", true}};
    CHECK(call("tree_get", params)["tree"]["nodes"].size() == 6);
    CHECK(call("tree_get_skeleton", params)["skeleton"]["nodes"].size() == 6);
    params["include_ephemeral"] = true;
    CHECK(call("tree_get", params)["tree"]["nodes"].size() == 11);
    CHECK(call("node_get", {{"tree_id", id}, {"node_id", fleeting}})["node"]["children"].size() == 1);
}

TEST_CASE_METHOD(ChainWorld, "events are not to be changed", "[arbor][chain]") {
    const Json event = to_text(event_ids()[1]);
    const auto before = dump();
    CHECK(reason("node_create_text", {{"tree_id", id}, {"parent", event}, {"content", ""}}) == "conflict");
    CHECK(reason("node_update", {{"tree_id", id}, {"node_id", event}, {"content", ""}}) == "conflict");
    CHECK(reason("node_move", {{"tree_id", id}, {"node_id", event}, {"parent", user}}) == "conflict");
    CHECK(reason("node_move", {{"tree_id", id}, {"node_id", block}, {"parent", event}}) == "conflict");
    CHECK(reason("node_delete", {{"tree_id", id}, {"node_id", event}}) == "conflict");
    CHECK(reason("node_claim", {{"tree_id", id}, {"node_id", event}}) == "conflict");
    const auto other = tree();
    CHECK(reason("node_get", {{"tree_id", other}, {"node_id", event}}) == "conflict");
    call("tree_delete", {{"tree_id", other}, {"force", true}});
    CHECK(dump() == before);
}

TEST_CASE_METHOD(ChainWorld, "a moved node keeps its stream", "[arbor][chain]") {
    const auto deep = text(id, text(id, root_of(id)));
    call("node_move", {{"tree_id", id}, {"node_id", user}, {"parent", deep}});
    CHECK(path(id, to_text(event_ids()[2])).size() == 7);
    CHECK(sound());
}

TEST_CASE_METHOD(ChainWorld, "a stream hangs under a node that is there", "[arbor][chain]") {
    const auto before = dump();
    const auto create = [&](Json tree, Json node) {
        const arbor::NewChain chain_wanted{trees->new_chain(), tree_id(tree), node_id(node),
                                           vault->id(),        "1",           "e"};
        return sql_reason([chain_wanted](Transaction& sql) {
            ChainStore(sql).create(chain_wanted, 0);
            return 0;
        });
    };
    const Json nowhere = to_text(trees->new_node());
    CHECK(create(id, nowhere) == "not_found");
    CHECK(create(nowhere, user) == "not_found");
    CHECK(create(id, to_text(event_ids()[0])) == "conflict");
    const auto missing = trees->new_chain();
    CHECK(sql_reason([&](Transaction& sql) { return ChainStore(sql).append(missing, events(1)); }) ==
          "not_found");
    CHECK(dump() == before);
}

TEST_CASE_METHOD(ChainWorld, "an append that fails leaves no number behind", "[arbor][chain]") {
    auto list = events(3);
    list[2].id = list[0].id;
    const auto before = dump();
    CHECK(sql_reason([&](Transaction& sql) { return ChainStore(sql).append(chain, list); }) == "conflict");
    CHECK(dump() == before);
    CHECK(write([&](Transaction& sql) { return ChainStore(sql).append(chain, events(1)); }) == 4);
}

TEST_CASE_METHOD(ChainWorld, "a read stops at its limits", "[arbor][chain]") {
    write([&](Transaction& sql) { return ChainStore(sql).append(chain, events(10, std::string(100, ' '))); });
    const auto count = [&](arbor::Seq after, std::int64_t limit, std::int64_t bytes) {
        return read([&](Transaction& sql) {
            ChainStore chains(sql);
            return chains.read_after(chains.get(chain).key, after, limit, bytes).size();
        });
    };
    CHECK(count(0, 5, 1 << 20) == 5);
    CHECK(count(3, 100, 250) == 2);
    CHECK(count(3, 100, 1) == 1);
    CHECK(count(13, 100, 1 << 20) == 0);
}

TEST_CASE_METHOD(ChainWorld, "an event that is not what was stored is never shown", "[arbor][chain]") {
    const auto change = GENERATE(
        as<std::string>(), "UPDATE chat_events SET payload = payload || ' ' WHERE seq = 2",
        "UPDATE chat_events SET type = 'tock' WHERE seq = 2", "UPDATE chat_events SET seq = 7 WHERE seq = 2",
        "UPDATE chat_events SET id = zeroblob(16) WHERE seq = 2");
    static std::list<std::string> kept;  // statements are known by their address
    static std::list<hub::Statement> statements;
    const auto& statement = statements.emplace_back("damage", kept.emplace_back(change));
    write([&](Transaction& sql) { return sql.execute(statement); });
    try {
        stored();
        FAIL("it was shown");
    } catch (const schema::Failure& failure) {
        CHECK(failure.error().reason == "corrupt_event");
    }
    CHECK(call("check", {{"events", true}, {"handles", false}})["ok"] == false);
}

TEST_CASE_METHOD(ChainWorld, "who reads at the head does not touch the store", "[arbor][stream]") {
    auto& streams = trees->streams();
    run(loop, [&]() -> awaitable<void> {
        co_await streams.append(chain, events(5));
        co_await storage->close();
        const auto list = co_await streams.read_after(chain, 3, 100);
        CHECK(list.size() == 5);
        CHECK(list.front()->seq == 4);
        CHECK((co_await streams.read_after(chain, 6, 100)).size() == 2);
        CHECK((co_await streams.read_after(chain, 4, 2)).size() == 2);
        CHECK((co_await streams.read_after(chain, 8, 100)).empty());
        CHECK(co_await streams.head(chain) == 8);
        const auto behind_the_ring = [](auto& all, auto one) -> awaitable<void> {
            co_await all.read_after(one, 0, 100);
        };
        CHECK_FALSE((co_await hub::guarded(behind_the_ring(streams, chain))).has_value());
    }());
}

TEST_CASE_METHOD(World, "a ring is bounded by events and by bytes", "[arbor][stream]") {
    settings.streams = {8, 1000, 2};
    reopen();
    const auto id = tree();
    const auto chain = stream(id, root_of(id), 1);
    auto& streams = trees->streams();
    run(loop, [&]() -> awaitable<void> {
        for (int i = 0; i < 20; ++i)
            co_await streams.append(chain,
                                    {{0, trees->new_node(), "t", 0, std::string(i < 10 ? 10 : 400, 'x')}});
        CHECK((co_await streams.read_after(chain, 0, 100)).size() == 21);  // from the store, all the same
        CHECK(co_await streams.head(chain) == 21);
    }());
    for (int i = 0; i < 5; ++i) {
        const auto other = stream(id, root_of(id), 1);
        run(loop, [&]() -> awaitable<void> {
            co_await streams.append(other, {{0, trees->new_node(), "t", 0, "{}"}});
        }());
    }
    CHECK(streams.rings() == 2);
}

TEST_CASE_METHOD(ChainWorld, "a waiting reader wakes for the next event and sees it", "[arbor][stream]") {
    using namespace boost::asio::experimental::awaitable_operators;
    auto& streams = trees->streams();
    const auto reader = [&](arbor::Seq from, arbor::Seq to) -> awaitable<void> {
        for (auto seq = from; seq < to;) {
            co_await streams.wait_past(chain, seq);
            for (const auto& event : co_await streams.read_after(chain, seq, 3)) CHECK(event->seq == ++seq);
        }
    };
    const auto writer = [&]() -> awaitable<void> {
        for (int i = 0; i < 30; ++i) co_await streams.append(chain, events(1 + i % 4));
    };
    run(loop, [](auto a, auto b, auto c, auto d) -> awaitable<void> {
        co_await (a(0, 74) && b(3, 74) && c(40, 74) && d());
    }(reader, reader, reader, writer));
}

TEST_CASE_METHOD(ChainWorld, "nobody waits for a stream that is over or gone", "[arbor][stream]") {
    using namespace boost::asio::experimental::awaitable_operators;
    auto& streams = trees->streams();
    const auto wait = [&]() -> awaitable<void> { co_await streams.wait_past(chain, 3); };
    const auto end = [&]() -> awaitable<void> {
        while (streams.rings() == 0) co_await pause(std::chrono::milliseconds(1));
        co_await pause(std::chrono::milliseconds(5));
        streams.retire(chain);
    };
    run(loop, [](auto a, auto b) -> awaitable<void> { co_await (a() && b()); }(wait, end));
    CHECK(streams.rings() == 0);

    const auto remove = [&]() -> awaitable<void> {
        while (streams.rings() == 0) co_await pause(std::chrono::milliseconds(1));
        co_await pause(std::chrono::milliseconds(5));
        FakeOutlet outlet;
        co_await root->invoke("arbor.node_delete", {{"tree_id", id}, {"node_id", user}}, outlet);
    };
    CHECK_THROWS_WITH(
        run(loop, [](auto a, auto b) -> awaitable<void> { co_await (a() && b()); }(wait, remove)),
        Catch::Contains("no stream"));
    CHECK_THROWS_WITH(run(loop, wait()), Catch::Contains("no stream"));
}

TEST_CASE_METHOD(ChainWorld, "commits that are told out of order leave no hole", "[arbor][stream]") {
    auto& streams = trees->streams();
    const auto list = events(3);
    write([&](Transaction& sql) { return ChainStore(sql).append(chain, list); });
    streams.published(chain, 4, {list[0]});
    streams.published(chain, 6, {list[2]});
    streams.published(chain, 5, {list[1]});
    run(loop, [&]() -> awaitable<void> {
        const auto read_back = co_await streams.read_after(chain, 3, 10);
        REQUIRE(read_back.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) CHECK(read_back[i]->id == list[i].id);
    }());
}
