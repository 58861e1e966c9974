#include "schema/codec.hpp"

#include <catch2/catch.hpp>

namespace {

using plexus::schema::Json;
namespace schema = plexus::schema;

enum class Colour { red, green };
DESCRIBE_ENUM(Colour, red, green)

struct Inner {
    std::string text;
};
DESCRIBE(Inner, (text, "Some text"))

struct Outer {
    std::string name;
    std::uint32_t count = 3;
    std::optional<std::string> note;
    std::optional<Inner> inner;
    Colour colour = Colour::red;
    std::vector<Inner> list;
};
DESCRIBE(Outer, (name, "A name"), (count, "How many", defaulted), (note, "Optional"), (inner, "Nested"),
         (colour, "Which", defaulted), (list, "Many", defaulted))

struct Started {
    static constexpr std::string_view tag = "started";
    std::string id;
};
DESCRIBE(Started, (id, "Of what"))
struct Ended {
    static constexpr std::string_view tag = "ended";
};
DESCRIBE_EMPTY(Ended)
using Event = std::variant<Started, Ended>;

Json problems(const Json& json) { return schema::decode<Outer>(json).error().data["problems"]; }

}  // namespace

TEST_CASE("a described struct reads back what it writes", "[codec]") {
    Outer outer{"a", 7, "n", Inner{"i"}, Colour::green, {{"x"}, {"y"}}};
    const auto json = schema::encode(outer);
    CHECK(json == Json::parse(R"({"name":"a","count":7,"note":"n","inner":{"text":"i"},"colour":"green",
                                  "list":[{"text":"x"},{"text":"y"}]})"));
    CHECK(schema::encode(schema::decode<Outer>(json).value()) == json);
}

TEST_CASE("an empty optional is omitted, and null means not given", "[codec]") {
    CHECK_FALSE(schema::encode(Outer{}).contains("note"));
    const auto decoded =
        schema::decode<Outer>({{"name", "a"}, {"note", nullptr}, {"count", nullptr}}).value();
    CHECK_FALSE(decoded.note);
    CHECK(decoded.count == 3);
}

TEST_CASE("all problems are reported at once, each with its path", "[codec]") {
    CHECK(problems({{"count", -1}, {"colour", "blue"}, {"list", {{{"text", 5}}}}}) ==
          Json({"missing field: name", "/count must be an integer from 0 to 4294967295, not -1",
                "/colour must be one of red, green, not \"blue\"", "/list/0/text must be a string, not 5"}));
}

TEST_CASE("an unknown field is ignored in a request, unless something else is wrong too", "[codec]") {
    CHECK(schema::decode<Outer>({{"name", "a"}, {"colr", "red"}}).has_value());
    CHECK(problems({{"nam", "a"}}) ==
          Json({"missing field: name", "/nam is not known here (did you mean `name`?)"}));
    const auto strict = schema::decode<Outer>({{"name", "a"}, {"cuont", 1}}, schema::Unknown::refused);
    CHECK_THAT(strict.error().message, Catch::EndsWith("/cuont is not known here (did you mean `count`?)"));
}

TEST_CASE("schemas follow the conventions that code generators read", "[codec]") {
    const auto json = schema::json_schema<Outer>();
    CHECK(json["required"] == Json({"name"}));
    CHECK(json["properties"]["count"]["format"] == "uint32");
    CHECK(json["properties"]["count"]["minimum"] == 0);
    CHECK(json["properties"]["count"]["default"] == 3);
    CHECK(json["properties"]["note"]["type"] == Json({"string", "null"}));
    CHECK(json["properties"]["inner"]["anyOf"][0]["$ref"] == "#/$defs/Inner");
    CHECK(json["properties"]["colour"]["$ref"] == "#/$defs/Colour");
    CHECK(json["$defs"]["Colour"]["enum"] == Json({"red", "green"}));
}

TEST_CASE("a union is a oneOf told apart by type, also when it has one case", "[codec]") {
    const auto both = schema::json_schema<Event>();
    REQUIRE(both["oneOf"].size() == 2);
    CHECK(both["oneOf"][0]["properties"]["type"]["const"] == "started");
    CHECK(both["oneOf"][0]["required"] == Json({"type", "id"}));
    CHECK(schema::json_schema<Started>()["oneOf"].size() == 1);
    CHECK(schema::json_schema<Started>()["title"] == "Started");
    CHECK(schema::encode(Event(Started{"7"})) == Json({{"type", "started"}, {"id", "7"}}));
    const auto wrong = schema::decode<Event>({{"type", "stared"}});
    CHECK_THAT(wrong.error().message,
               Catch::Contains("must be one of started, ended (did you mean `started`?)"));
}
