#include "schema/uuid.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace plexus::schema;

TEST_CASE("UUIDs read back what they print, in lower case", "[uuid]") {
    const auto id = parse_uuid("0197A3C4-5B6D-7E8F-9A0B-1C2D3E4F5A6B");
    REQUIRE(id);
    CHECK(to_text(*id) == "0197a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b");
    for (const auto* wrong :
         {"", "0197a3c4", "0197a3c45b6d7e8f9a0b1c2d3e4f5a6b", "0197a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6g",
          "{0197a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6}", "0197a3c4-5b6d-7e8f-9a0b_1c2d3e4f5a6b"})
        CHECK_FALSE(parse_uuid(wrong));
}

TEST_CASE("version 5 ids are those other Plexus programs compute", "[uuid]") {
    CHECK(to_text(uuid_v5_oid("claudecode@1")) == "51b330e5-ed88-5fe2-8b58-0c57f2b02ab3");
    CHECK(to_text(uuid_v5_oid("arbor@1")) == "58fd2bc4-b477-509b-9568-c5aee56f1bc0");
}

TEST_CASE("version 7 ids sort in the order they were made, whatever the clock does", "[uuid]") {
    UuidV7 ids;
    std::string last;
    std::set<std::string> all;
    for (int i = 0; i < 20'000; ++i) {
        const std::int64_t clock = i < 10'000 ? 1'700'000'000'000 : 1'600'000'000'000;  // steps back half way
        const auto text = to_text(ids.next(clock, static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u));
        REQUIRE(text > last);
        last = text;
        all.insert(text);
    }
    CHECK(all.size() == 20'000);
    CHECK(last[14] == '7');
}
