#include "tests/arbor/world.hpp"

#include <rapidcheck.h>

using namespace plexus;
using namespace plexus::tests;

namespace {

constexpr std::int64_t one_day = 86400;
const std::vector<std::string> owners{"ann", "bob"};

struct TreeModel {
    Json id, root;
    std::map<std::string, int> refs;
    std::string state = "active";
    std::int64_t since = 0;  // when it came into its state
    bool head = false;

    bool held() const {
        return std::ranges::any_of(refs, [](const auto& entry) { return entry.second > 0; });
    }
};

// Trees and what ought to become of them.
struct Trees : World {
    std::vector<TreeModel> all;

    void create(const std::string& owner) {
        const auto id = tree(owner);
        all.push_back({id, root_of(id), {{owner, 1}}, "active", 0, false});
    }
    void claim(TreeModel& one, const std::string& owner, int count) {
        const bool agreed = one.state != "archived";
        const auto why = reason("tree_claim", {{"tree_id", one.id}, {"owner_id", owner}, {"count", count}});
        RC_ASSERT(why == (agreed ? "" : "archived"));
        if (!agreed) return;
        one.refs[owner] += count;
        one.state = "active";
    }
    void release(TreeModel& one, const std::string& owner, int count) {
        const auto has = one.refs[owner];
        const auto why = reason("tree_release", {{"tree_id", one.id}, {"owner_id", owner}, {"count", count}});
        RC_ASSERT(why == (has == 0 ? "not_found" : has < count ? "conflict" : ""));
        if (!why.empty()) return;
        one.refs[owner] -= count;
        if (one.held()) return;
        one.state = "scheduled_delete";
        one.since = clock.seconds();
    }
    void cleanup() {
        const auto now = clock.seconds();
        call("cleanup");
        std::erase_if(all, [&](const auto& one) {
            return one.state == "archived" && one.since + 30 * one_day <= now && !one.head;
        });
        for (auto& one : all) {
            if (one.state != "scheduled_delete" || one.since + 7 * one_day > now || one.head) continue;
            one.state = "archived";
            one.since = now;
        }
    }
    void compare() {
        std::map<std::string, Json> lists{
            {"active", Json::array()}, {"scheduled_delete", Json::array()}, {"archived", Json::array()}};
        for (const auto& one : all) lists[one.state].push_back(one.id);
        for (const auto& [state, ids_expected] : lists)
            RC_ASSERT(call("tree_list", {{"state", state}})["tree_ids"] == ids_expected);
        for (const auto& one : all) {
            Json expected = Json::object();
            for (const auto& [owner, count] : one.refs)
                if (count > 0) expected[owner] = count;
            RC_ASSERT(call("tree_get_refs", {{"tree_id", one.id}})["refs"]["owners"] == expected);
        }
        RC_ASSERT(sound());
    }
    void apply(int what, std::uint32_t a, std::uint32_t b) {
        const auto& owner = owners[b % owners.size()];
        if (what == 0 || all.empty()) return create(owner);
        auto& one = all[a % all.size()];
        switch (what) {
            case 1:
                return claim(one, owner, 1 + static_cast<int>(b % 3));
            case 2:
            case 3:
            case 4:
                return release(one, owner, 1 + static_cast<int>(b / 8 % 2));
            case 5:
                return clock.advance((1 + b % 20) * day);
            case 6:
                return cleanup();
            case 7:
                return reopen();
            case 8:
                one.head = !one.head;
                break;
        }
        heads.clear();
        for (const auto& each : all)
            if (each.head) heads.push_back(node_id(each.root));
    }
};

}  // namespace

TEST_CASE("trees come, are held, let go and pass away as the model says", "[arbor][property]") {
    CHECK(rc::check("steps", [] {
        const auto steps = *rc::gen::container<std::vector<std::tuple<int, std::uint32_t, std::uint32_t>>>(
            rc::gen::tuple(rc::gen::inRange(0, 9), rc::gen::arbitrary<std::uint32_t>(),
                           rc::gen::arbitrary<std::uint32_t>()));
        Trees trees;
        for (const auto& [what, a, b] : steps) {
            trees.apply(what, a, b);
            trees.compare();
        }
    }));
}
