#include "hub/handle.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

using plexus::hub::Handle;
using plexus::hub::plugin_id;
namespace schema = plexus::schema;

TEST_CASE("every handle reads back what it prints", "[handle]") {
    const bool holds = rc::check(
        "parse(print(h)) == h", [](std::string version, std::string method, std::vector<std::string> meta) {
            const Handle handle{plugin_id("arbor", "1.0.0"), version, method, meta, nullptr};
            RC_ASSERT(Handle::parse(handle.text()).value() == handle);
        });
    CHECK(holds);
}

TEST_CASE("a handle's text escapes what would split it", "[handle]") {
    const Handle handle{plugin_id("claudecode", "1.0.0"), "1.0.0", "message", {"a:b", "50%", ""}, nullptr};
    CHECK(handle.text() == "51b330e5-ed88-5fe2-8b58-0c57f2b02ab3@1.0.0::message:a%3Ab:50%25:");
}

TEST_CASE("a namespace stands for its plugin id", "[handle]") {
    const auto handle = Handle::parse("claudecode@1.4.0::turn:3").value();
    CHECK(handle.plugin == plugin_id("claudecode", "1.0.0"));
    CHECK(handle.meta == std::vector<std::string>{"3"});
}

TEST_CASE("all input forms of a handle mean the same", "[handle]") {
    const auto read = [](const char* text) {
        return schema::decode<Handle>(schema::Json::parse(text)).value();
    };
    const auto text = read(R"("11429815-0a5e-5fcc-baf2-842ab3666e77@1.0.0::chat:msg-1:user:bob")");
    CHECK(read(R"({"plugin_id":"11429815-0a5e-5fcc-baf2-842ab3666e77","version":"1.0.0","method":"chat",
                   "meta":["msg-1","user","bob"]})") == text);
    const auto old = read(R"({"source":"cone","source_version":"1.0.0","identifier":"msg-1:user:bob",
                              "metadata":{"size":5}})");
    CHECK(old == text);
    CHECK(old.metadata == schema::Json({{"size", 5}}));
    CHECK(schema::encode(Handle{text.plugin, "1", "m", {}, nullptr}).size() == 3);
}

TEST_CASE("a malformed handle is refused with what it lacks", "[handle]") {
    CHECK_THAT(Handle::parse("nonsense").error().message, Catch::Contains("'@'"));
    CHECK_THAT(Handle::parse("arbor@1.0.0:x").error().message, Catch::Contains("'::'"));
    CHECK_THAT(Handle::parse("Not A Plugin@1::m").error().message, Catch::Contains("UUID or a namespace"));
    CHECK(Handle::parse("nonsense").error().reason == "invalid_handle");
}
