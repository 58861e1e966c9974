#include "tests/claudecode_stream/recording.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

using namespace plexus::tests;

TEST_CASE("the effects are the same for every chunking of the bytes", "[chunking][recordings]") {
    const auto* name = GENERATE("daemon-full", "unicode", "tool-result-before-message-stop",
                                "cut-midstream-always", "subagent-background");
    for (const auto* version : {"2.1.197", "2.1.326"}) {
        const auto& source = recording(version, name);
        const auto whole = shown(replay(source).effects);
        CHECK(rc::check(source.title(), [&] {
            const auto chunks =
                *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::oneOf(
                    rc::gen::inRange<std::size_t>(1, 64), rc::gen::inRange<std::size_t>(64, 70000))));
            RC_ASSERT(shown(replay(source, chunks).effects) == whole);
        }));
    }
}

TEST_CASE("byte by byte is no different", "[chunking][recordings]") {
    const auto& source = recording("2.1.326", "perm-stdio-allow-partial");
    CHECK(shown(replay(source, {1}).effects) == shown(replay(source).effects));
}
