#include "activations/arbor/check_store.hpp"
#include "tests/arbor/model.hpp"

#include <rapidcheck.h>

using namespace plexus;
using namespace plexus::tests;
using arbor::NodeRow;
using hub::Transaction;

namespace {

struct Step {
    int what = 0;
    std::uint32_t a = 0, b = 0;
};

// Arbor and the model side by side; every step is done to both.
struct Pair : World {
    Json tree_text = tree();
    TreeId tree_now = tree_id(tree_text);
    std::vector<NodeId> ids_of{node_id(root_of(tree_text))};
    std::map<std::size_t, ChainId> chains;
    Model model;

    std::size_t pick(std::uint32_t number) {
        std::vector<std::size_t> there;
        for (std::size_t i = 0; i < model.size(); ++i)
            if (!model[i].gone) there.push_back(i);
        return there[number % there.size()];
    }
    template <class Work>
    bool agreed(Work work) {
        try {
            write([&](Transaction& sql) {
                work(sql);
                return 0;
            });
        } catch (const schema::Failure& failure) {
            RC_LOG() << failure.what() << "\n";
            return false;
        }
        return true;
    }
    bool done(const std::string& method, Json params) {
        params["tree_id"] = tree_text;
        return reason(method, std::move(params)).empty();
    }

    void create(std::size_t parent, bool ephemeral, bool leaf, std::optional<std::size_t> after);
    void append(std::size_t node, int count);
    void apply(const Step& step);
    void compare();
};

void Pair::create(std::size_t parent, bool ephemeral, bool leaf, std::optional<std::size_t> after) {
    const arbor::NewNode node{trees->new_node(),
                              ids_of[parent],
                              std::string("x"),
                              {},
                              ephemeral,
                              leaf,
                              after ? std::optional(ids_of[*after]) : std::nullopt,
                              ""};
    const auto now = clock.seconds();
    const bool real = agreed([&](Transaction& sql) { arbor::NodeStore(sql).create(tree_now, node, now); });
    RC_ASSERT(real == model.create(parent, ephemeral, after, now));
    if (real) ids_of.push_back(node.id);
}

void Pair::append(std::size_t node, int count) {
    if (!chains.contains(node))
        chains[node] = stream(tree_text, to_text(ids_of[node]), 1), ++model.at(node).events;
    std::vector<arbor::Event> events;
    for (int i = 0; i < count; ++i) events.push_back({0, trees->new_node(), "t", 0, "{}"});
    write([&](Transaction& sql) { return arbor::ChainStore(sql).append(chains[node], events); });
    model.at(node).events += count;
}

void Pair::apply(const Step& step) {
    const auto a = pick(step.a), b = pick(step.b);
    const auto node = [&](std::size_t i) { return Json{{"node_id", to_text(ids_of[i])}}; };
    const auto owner = step.b % 2 ? "ann" : "bob";
    auto claim = node(a), move = node(a);
    claim["owner_id"] = owner;
    move["parent"] = to_text(ids_of[b]);
    const auto now = clock.seconds();
    switch (step.what) {
        case 0:
        case 1:
        case 2:
            return create(a, false, false, {});
        case 3:
            return create(a, true, false, {});
        case 4:
            return create(a, false, true, {});
        case 5:
            return create(model[b].parent.value_or(a), step.a % 2, false,
                          model[b].parent ? std::optional(b) : std::nullopt);
        case 6:
            return RC_ASSERT(done("node_move", move) == model.move(a, b, now));
        case 7:
            return RC_ASSERT(done("node_delete", node(a)) == model.remove(a));
        case 8:
            return RC_ASSERT(done("node_schedule_delete", node(a)) == model.schedule(a, now));
        case 9:
            return RC_ASSERT(done("node_claim", claim) == model.claim(a, owner, now));
        case 10:
            return RC_ASSERT(done("node_release", claim) == model.release(a, owner, now));
        case 11:
            return clock.advance((1 + step.a % 20) * day);
        case 12:
            call("cleanup");
            return model.cleanup(now);
        case 13:
            return reopen();
        case 14:
            return append(a, static_cast<int>(step.b % 4));
        case 15:
            model.heads = {a};
            break;
        case 16:
            model.heads.clear();
            break;
        case 17:
            return clock.jump(-std::chrono::seconds(step.a % 100'000));
    }
    heads.clear();
    for (const auto head : model.heads) heads.push_back(ids_of[head]);
}

void Pair::compare() {
    struct Seen {
        std::vector<NodeRow> rows;
        std::map<std::size_t, std::vector<NodeId>> paths, children;
        std::map<std::size_t, arbor::Seq> events;
        std::vector<arbor::Problem> problems;
    };
    const auto seen = read([&](Transaction& sql) {
        Seen all;
        arbor::NodeStore nodes(sql);
        const auto row = arbor::TreeStore(sql).get(tree_now);
        all.rows = arbor::BranchStore(sql).rows(row.root);
        for (std::size_t i = 0; i < model.size(); ++i) {
            if (model[i].gone) continue;
            const auto found = nodes.find(row, ids_of[i]);
            const auto line = arbor::Paths(sql).to(found);
            all.paths[i] = arbor::Paths(sql).ids(line, 0, line.depth());
            all.children[i] = nodes.children(found, true, {}, 1000).items;
        }
        for (const auto& [i, chain] : chains)
            if (!model[i].gone)
                all.events[i] = arbor::ChainStore(sql).head(arbor::ChainStore(sql).get(chain).key);
        arbor::CheckStore(sql).structure(row, all.problems);
        arbor::CheckStore(sql).chains(row, true, all.problems);
        return all;
    });
    std::map<NodeId, NodeRow> by_id;
    for (const auto& row : seen.rows) by_id[row.id] = row;
    for (const auto& problem : seen.problems) RC_LOG() << problem.message << "\n";
    RC_ASSERT(seen.problems.empty());
    RC_ASSERT(by_id.size() == seen.paths.size());
    for (const auto& [i, head] : seen.events) RC_ASSERT(head == model[i].events);
    for (const auto& [i, path] : seen.paths) {
        const auto& expected = model[i];
        const auto& row = by_id.at(ids_of[i]);
        std::vector<NodeId> line;
        for (const auto above : model.path(i)) line.push_back(ids_of[above]);
        RC_ASSERT(path == line);
        auto below = seen.children.at(i);
        if (expected.events > 0) below.pop_back();  // the first event stands behind the children
        std::vector<NodeId> children;
        for (const auto child : expected.children) children.push_back(ids_of[child]);
        RC_ASSERT(below == children);
        RC_ASSERT(row.state == expected.state);
        RC_ASSERT(row.ephemeral == expected.ephemeral);
        RC_ASSERT(row.ref_count == (expected.ephemeral ? 0 : 1) + expected.claimed());
        if (row.state != arbor::State::active) RC_ASSERT(row.scheduled_at == expected.scheduled_at);
        if (row.state == arbor::State::archived) RC_ASSERT(row.archived_at == expected.archived_at);
    }
}

}  // namespace

TEST_CASE("a tree does what the model says, whatever is done to it", "[arbor][property]") {
    const auto step =
        rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 18), rc::gen::arbitrary<std::uint32_t>(),
                                    rc::gen::arbitrary<std::uint32_t>()),
                     [](const auto& numbers) {
                         return Step{std::get<0>(numbers), std::get<1>(numbers), std::get<2>(numbers)};
                     });
    CHECK(rc::check("steps", [&] {
        const auto steps = *rc::gen::container<std::vector<Step>>(step);
        Pair pair;
        for (const auto& one : steps) {
            RC_LOG() << one.what << " " << one.a << " " << one.b << "\n";
            pair.apply(one);
            pair.compare();
        }
    }));
}

namespace rc {

[[maybe_unused]] void showValue(const Step& step, std::ostream& out) {
    out << step.what << "(" << step.a << "," << step.b << ")";
}

}  // namespace rc
