#include "daemon/cli/questions.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

using schema::Json;

namespace {

Json select(bool many) {
    return {
        {"type", "select"},
        {"message", "Which?"},
        {"multi_select", many},
        {"options",
         {{{"value", "a"}, {"label", "Apple"}}, {{"value", 2}, {"label", "Pear"}, {"description", "ripe"}}}}};
}

const Json cancelled = {{"type", "cancelled"}};

Json text(const Json& value) { return {{"type", "text"}, {"value", value}}; }
Json confirmed(bool value) { return {{"type", "confirmed"}, {"value", value}}; }
Json selected(const Json& values) { return {{"type", "selected"}, {"values", values}}; }

}  // namespace

TEST_CASE("without a terminal a question is answered by its default, or cancelled", "[cli]") {
    const auto [request, answer] = GENERATE(table<Json, Json>({
        {{{"type", "confirm"}, {"message", "?"}, {"default", false}}, confirmed(false)},
        {{{"type", "confirm"}, {"message", "?"}}, cancelled},
        {{{"type", "prompt"}, {"message", "?"}, {"default", "x"}}, text("x")},
        {{{"type", "prompt"}, {"message", "?"}}, cancelled},
        {select(false), cancelled},
        {{{"type", "custom"}, {"data", 1}}, cancelled},
    }));
    CHECK(cli::answer_alone(request) == answer);
}

TEST_CASE("a typed line means an answer, or nothing", "[cli]") {
    const Json confirm = {{"type", "confirm"}, {"message", "Sure?"}};
    const Json leaning = {{"type", "confirm"}, {"message", "Sure?"}, {"default", true}};
    const Json prompt = {{"type", "prompt"}, {"message", "Name"}};
    const Json custom = {{"type", "custom"}, {"data", {{"a", 1}}}};
    const Json nothing = "nothing";
    const auto [request, line, answer] = GENERATE_COPY(table<Json, std::string, Json>({
        {confirm, "y", confirmed(true)},
        {confirm, " YES ", confirmed(true)},
        {confirm, "no", confirmed(false)},
        {confirm, "", nothing},
        {confirm, "perhaps", nothing},
        {leaning, "", confirmed(true)},
        {leaning, "n", confirmed(false)},
        {prompt, " two words ", text(" two words ")},
        {prompt, "", text("")},
        {select(false), "1", selected({"a"})},
        {select(false), "Pear", selected({2})},
        {select(false), "2", selected({2})},
        {select(false), "1,2", nothing},
        {select(false), "3", nothing},
        {select(false), "", nothing},
        {select(true), "1, Pear", selected({"a", 2})},
        {custom, R"({"b": 2})", {{"type", "custom"}, {"data", {{"b", 2}}}}},
        {custom, "no json", nothing},
    }));
    INFO(request << " " << line);
    CHECK(cli::answer_from(request, line).value_or(nothing) == answer);
}

TEST_CASE("a question shows its choices and cannot drive the terminal", "[cli]") {
    CHECK(cli::question_text(select(true)) ==
          "Which?\n  1) Apple\n  2) Pear  ripe\nNumbers, with commas between them: ");
    CHECK(cli::question_text({{"type", "confirm"}, {"message", "\x1b]0;gone\x07?"}, {"default", true}}) ==
          "\\x1b]0;gone\\x07? [Y/n] ");
    CHECK(cli::question_text(
              {{"type", "prompt"}, {"message", "Name"}, {"placeholder", "Ann"}, {"default", "Bo"}}) ==
          "Name (Ann) [Bo]: ");
}

}  // namespace plexus::tests
