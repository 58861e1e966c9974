#include "daemon/cli/drawing.hpp"
#include "daemon/cli/human.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

using schema::Json;

TEST_CASE("text from elsewhere cannot drive the terminal", "[cli]") {
    const auto [given, shown] = GENERATE(table<std::string, std::string>({
        {"plain žluť 🙂", "plain žluť 🙂"},
        {"two\nlines\tand", "two\nlines\tand"},
        {"\x1b[2J", "\\x1b[2J"},
        {"a\rb\bc\x7f", "a\\x0db\\x08c\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\x9b31m"},
        {"\xc2\xa0", "\xc2\xa0"},
    }));
    CHECK(cli::printable(given) == shown);
}

TEST_CASE("a line is cut between characters", "[cli]") {
    CHECK(cli::one_line("žluťoučký kůň", 6) == "žluťo…");
    CHECK(cli::one_line("žluťou", 6) == "žluťou");
    CHECK(cli::one_line("a\nb", 6) == "a↵b");
    CHECK(cli::width(cli::Paint{true}.red("ž") + "x") == 2);
}

TEST_CASE("a value is shown as a person likes to read it", "[cli]") {
    const auto [value, shown] = GENERATE(table<Json, std::string>({
        {"text", "text\n"},
        {nullptr, "null\n"},
        {Json::object(), "{}\n"},
        {{{"type", "echo"}, {"message", "hi"}, {"count", 1}}, "echo  count: 1  message: hi\n"},
        {{{"type", "said"}, {"text", "a\nb"}}, "said\n  text:\n    a\n    b\n"},
        {{{"type", "t"}, {"inner", {{"a", {{"b", 1}}}}}}, "t\n  inner:\n    a:\n      b: 1\n"},
        {{1, 2, 3}, "1, 2, 3\n"},
        {Json::array({{{"a", 1}, {"b", "x"}}, {{"a", 22}}}), "a   b\n1   x\n22\n"},
        {Json::array({{{"a", 1}}, "x"}), "- a: 1\n- x\n"},
    }));
    CHECK(cli::human(value, {}) == shown);
}

TEST_CASE("a tree is drawn with every node on one line", "[cli]") {
    CHECK(cli::draw({"root", {{"a", {{"b", {}}, {"c", {}}}}, {"d", {{"e", {}}}}}}) ==
          "root\n├── a\n│   ├── b\n│   └── c\n└── d\n    └── e\n");
}

}  // namespace plexus::tests
