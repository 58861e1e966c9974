#include "schema/hash.hpp"

#include <catch2/catch.hpp>

using plexus::schema::hash_of;

TEST_CASE("hashes are those the wire contract gives as check values", "[hash]") {
    CHECK(hash_of({}) == "d1fba762150c532c");
    CHECK(hash_of({""}) == "30406ea523c53def");
    CHECK(hash_of({"a"}) == "719b50b9a4f0e9f3");
    CHECK(hash_of({"a", "b"}) == "f0aee6ac412cb313");
    CHECK(hash_of({"ab"}) == "66930d61a0cb581b");
    CHECK(hash_of({"auto_schema"}) == "d27d28b41b187228");
    CHECK(hash_of({"žluťoučký"}) == "dac7066d76d4a467");
    CHECK(hash_of({"check", "Check hub health and uptime"}) == "5c426a4a1de4a686");
    CHECK(hash_of({"observe", "Get an overview of the solar system", "SolarEvent"}) == "1de72ff82a3a5bb8");
    CHECK(hash_of({"1de72ff82a3a5bb8", "4b8967667bc555ec", "auto_schema", ""}) == "0b8b317cf7c7e34c");
    CHECK(hash_of({"a22ac060c67a9cba", "9e0eecf67a739504", "9b070a0aa9553226", "85bf6504f3a097ba",
                   "2433ca46d7c24de7", "32b1d6eb02f3ace0", "8352eee18e167c9d", "5e0d4b4a2e25d445"}) ==
          "9c1e929fe8d72347");
    CHECK(hash_of({"0b8b317cf7c7e34c", "9c1e929fe8d72347"}) == "f763a2ca448aca90");
}
