#include "daemon/cli/words.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

using cli::Kind;
using cli::sort_words;

namespace {

Kind kind_of(const std::string& name) {
    if (name == "--json" || name == "-q") return Kind::flag;
    return name == "--timeout" ? Kind::with_value : Kind::parameter;
}

cli::Words sorted(const std::vector<std::string>& words) { return sort_words(words, kind_of).value(); }

std::string text_of(const cli::Words& words) {
    std::string text = words.method;
    if (words.json) text += " json:" + *words.json;
    for (const auto& [name, value] : words.named) text += " " + name + "=" + value.value_or("(none)");
    for (const auto& option : words.options) text += " option:" + option;
    return text + (words.help ? " help" : "");
}

}  // namespace

TEST_CASE("the words of a call are told apart before any schema is known", "[cli]") {
    const auto [words, meaning] = GENERATE(table<std::vector<std::string>, std::string>({
        {{"a.b"}, "a.b"},
        {{"a.b", "--x", "1"}, "a.b x=1"},
        {{"a.b", "--x=1=2"}, "a.b x=1=2"},
        {{"a.b", "--x", "-1"}, "a.b x=-1"},
        {{"a.b", "--x="}, "a.b x="},
        {{"a.b", "--flag", "--x", "1"}, "a.b flag=(none) x=1"},
        {{"a.b", "--flag"}, "a.b flag=(none)"},
        {{"a.b", "{}"}, "a.b json:{}"},
        {{"a.b", "-"}, "a.b json:-"},
        {{"--x", "1", "a.b"}, "a.b x=1"},
        {{"--json", "a.b", "-q"}, "a.b option:--json option:-q"},
        {{"a.b", "--timeout", "3", "--x", "1"}, "a.b x=1 option:--timeout option:3"},
        {{"a.b", "--timeout=3", "{}"}, "a.b json:{} option:--timeout=3"},
        {{"a.b", "--x", "--", "--json", "1"}, "a.b x=(none) json=1"},
        {{"a.b", "--", "--timeout", "1", "--help", "me"}, "a.b timeout=1 help=me"},
        {{"a.b", "--help"}, "a.b help"},
        {{"-h"}, " help"},
    }));
    CHECK(text_of(sorted(words)) == meaning);
}

TEST_CASE("a word without a place in a call is refused", "[cli]") {
    const auto refused = sort_words({"a.b", "{}", "more"}, kind_of);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().message.find("What is more for?") == 0);
}

}  // namespace plexus::tests
