#include "activations/claudecode/line_splitter.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

using namespace plexus::claudecode;

namespace {

std::vector<std::string> split(std::string_view bytes, const std::vector<std::size_t>& chunks,
                               std::size_t limit = LineSplitter::default_limit) {
    LineSplitter splitter(limit);
    std::vector<std::string> lines;
    const auto drain = [&] {
        while (const auto line = splitter.next())
            lines.push_back(line->oversize ? "oversize " + std::to_string(line->oversize->length) + " " +
                                                 line->oversize->sha256 + " " + line->oversize->head
                                           : std::string(line->text));
    };
    for (std::size_t i = 0; !bytes.empty(); ++i) {
        const auto size = chunks.empty() ? bytes.size() : std::min(bytes.size(), chunks[i % chunks.size()]);
        const std::string chunk(bytes.substr(0, size));
        bytes.remove_prefix(size);
        splitter.feed(chunk);
        drain();
    }
    splitter.close();
    drain();
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lines end at LF or CRLF, blank ones are passed over, the last needs no end", "[splitter]") {
    CHECK(split("one\ntwo\r\n\n  \t\r\nthree", {}) == Lines{"one", "two", "three"});
    CHECK(split("one\n", {}) == Lines{"one"});
    CHECK(split("", {}).empty());
    CHECK(split("\n\r\n", {}).empty());
    CHECK(split("a\rb\n", {}) == Lines{"a\rb"});
}

TEST_CASE("a byte order mark is taken off the first line only", "[splitter]") {
    CHECK(split("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n", {}) == Lines{"one", "\xEF\xBB\xBFtwo"});
    CHECK(split("\xEF\xBB\xBFone\n", {1}) == Lines{"one"});
}

TEST_CASE("a line above the limit is told by head, length and hash, and the next one is read", "[splitter]") {
    const auto lines = split("abcdefghijk\nshort\n", {}, 10);
    REQUIRE(lines.size() == 2);
    // sha256 of "abcdefghijk"
    CHECK(lines[0] ==
          "oversize 11 ca2f2069ea0c6e4658222e06f8dd639659cbb5e67cbbba6734bc334a3799bc68 abcdefghijk");
    CHECK(lines[1] == "short");
    CHECK(split("abcdefghij\n", {}, 10) == Lines{"abcdefghij"});
    CHECK(split("abcdefghijk", {3}, 10).at(0) == lines[0]);
}

TEST_CASE("the lines are the same for every chunking", "[splitter]") {
    const auto alphabet =
        rc::gen::weightedElement<char>({{6, 'x'}, {3, '\n'}, {2, '\r'}, {2, ' '}, {1, '\xEF'}});
    CHECK(rc::check("splitting", [&] {
        auto bytes = *rc::gen::container<std::string>(alphabet);
        if (*rc::gen::arbitrary<bool>()) bytes = "\xEF\xBB\xBF" + bytes;
        const auto chunks =
            *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(1, 9)));
        RC_ASSERT(split(bytes, chunks, 8) == split(bytes, {}, 8));
    }));
}

TEST_CASE("a line of 100 MB is never held whole", "[splitter]") {
    LineSplitter splitter;
    const std::string chunk(64 << 10, 'x');
    std::size_t most = 0;
    for (int i = 0; i < 1600; ++i) {
        splitter.feed(chunk);
        REQUIRE_FALSE(splitter.next());
        most = std::max(most, splitter.held_bytes());
    }
    splitter.feed("\nafter\n");
    const auto line = splitter.next();
    REQUIRE(line);
    REQUIRE(line->oversize);
    CHECK(line->oversize->length == 1600u * (64 << 10));
    CHECK(line->oversize->head == std::string(LineSplitter::head_size, 'x'));
    CHECK(line->oversize->sha256 == "5b05b298e974f3b9e40f0a1a8188f50984a4f18fb329e050324296632d3d9dfc");
    CHECK(splitter.next()->text == "after");
    CHECK(most <= 2 * LineSplitter::default_limit);
    CHECK(splitter.held_bytes() <= LineSplitter::head_size);
}
