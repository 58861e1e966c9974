#include "daemon/cli/parameters.hpp"

#include <catch2/catch.hpp>

namespace plexus::tests {

using cli::Json;

namespace {

const Json method = Json::parse(R"json({"name": "try", "params": {
  "type": "object",
  "properties": {
    "text": {"type": "string", "description": "What to say"},
    "count": {"type": "integer", "format": "uint32", "minimum": 0, "default": 1},
    "ratio": {"type": ["number", "null"]},
    "loud": {"type": "boolean", "default": false},
    "words": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": ["array", "null"], "items": {"type": "integer"}},
    "mode": {"$ref": "#/$defs/Mode", "description": "How"},
    "point": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]},
    "handle": {"$ref": "#/$defs/Handle"},
    "metadata": {"description": "Anything"}
  },
  "required": ["text"],
  "$defs": {
    "Mode": {"type": "string", "enum": ["fast", "slow"]},
    "Point": {"type": "object", "title": "Point", "required": ["x"],
              "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}},
    "Handle": {"type": "object", "title": "Handle", "required": ["method"],
               "properties": {"method": {"type": "string"}}}
  }}})json");

schema::Result<Json> tried(std::vector<cli::Words::Named> named, std::optional<std::string> json = {},
                           const Json& known = method) {
    cli::Words words;
    words.method = "lab.try";
    words.named = std::move(named);
    words.json = std::move(json);
    return cli::parameters(words, known);
}

}  // namespace

TEST_CASE("words become values of the type the schema gives them", "[cli]") {
    const auto [name, word, value] = GENERATE(table<std::string, std::string, Json>({
        {"text", "12", "12"},
        {"text", "true", "true"},
        {"text", "{\"a\": 1}", "{\"a\": 1}"},
        {"text", "", ""},
        {"count", "3", 3},
        {"ratio", "3", 3},
        {"ratio", "0.5", 0.5},
        {"ratio", "null", nullptr},
        {"loud", "true", true},
        {"loud", "false", false},
        {"words", "one", {"one"}},
        {"words", "12", {"12"}},
        {"words", "[\"a\", \"b\"]", {"a", "b"}},
        {"numbers", "7", {7}},
        {"numbers", "[7, 8]", {7, 8}},
        {"mode", "fast", "fast"},
        {"point", "{\"x\": 1}", {{"x", 1}}},
        {"handle", "arbor@1.0.0::node:a", "arbor@1.0.0::node:a"},
        {"handle", "{\"method\": \"m\"}", {{"method", "m"}}},
        {"metadata", "{\"a\": [1]}", {{"a", {1}}}},
        {"metadata", "plain words", "plain words"},
        {"metadata", "7", 7},
    }));
    std::vector<cli::Words::Named> named{{name, word}};
    if (name != "text") named.push_back({"text", "needed"});
    const auto params = tried(named);
    INFO(name << " " << word);
    REQUIRE(params.has_value());
    CHECK((*params)[name] == value);
}

TEST_CASE("a flag alone is true, a list may be given piece by piece, and dashes stand for underscores",
          "[cli]") {
    const Json known = {{"params",
                         {{"properties",
                           {{"dry_run", {{"type", "boolean"}}},
                            {"tags", {{"type", "array"}, {"items", {{"type", "string"}}}}}}}}}};
    const auto params = tried({{"dry-run", {}}, {"tags", "a"}, {"tags", "b"}}, {}, known);
    REQUIRE(params.has_value());
    CHECK(*params == Json({{"dry_run", true}, {"tags", {"a", "b"}}}));
}

TEST_CASE("what does not fit the schema is refused with a sentence", "[cli]") {
    const auto [name, word, sentence] = GENERATE(table<std::string, std::string, std::string>({
        {"cuont", "1", "--cuont is unknown (did you mean `count`?)"},
        {"count", "many", "--count must be an integer, not \"many\""},
        {"count", "1.5", "--count must be an integer, not \"1.5\""},
        {"count", "-1", "--count must not be below 0"},
        {"ratio", "half", "--ratio must be a number, not \"half\""},
        {"loud", "yes", "--loud must be a boolean, not \"yes\""},
        {"mode", "medium", "--mode must be one of fast|slow, not \"medium\""},
        {"numbers", "[1, \"x\"]", "--numbers[1] must be an integer, not \"x\""},
        {"point", "{\"y\": 1}", "--point must be a Point"},
        {"handle", "{\"methd\": \"m\"}", "--handle.methd is unknown (did you mean `method`?)"},
    }));
    const auto params = tried({{name, word}, {"text", "needed"}});
    INFO(name << " " << word);
    REQUIRE(!params.has_value());
    CHECK(params.error().message.find(sentence) != std::string::npos);
    CHECK(params.error().reason == "usage");
}

TEST_CASE("all problems with the parameters come at once", "[cli]") {
    const auto params = tried({{"count", "x"}, {"metadata", {}}, {"mode", "fast"}, {"mode", "slow"}});
    REQUIRE(!params.has_value());
    CHECK(params.error().message ==
          "lab.try: --metadata needs a value; --mode is given twice; --count must be an integer, not \"x\"; "
          "--text is missing (string: What to say)");
}

TEST_CASE("parameters in JSON are checked in the same way", "[cli]") {
    CHECK(tried({}, R"({"text": "a", "count": null})").has_value());
    CHECK(tried({{"count", "2"}}, R"({"text": "a"})").value() == Json({{"text", "a"}, {"count", 2}}));
    const auto [json, sentence] = GENERATE(table<std::string, std::string>({
        {"[]", "[] is no JSON object"},
        {"{text: 1}", "{text: 1} is no JSON object"},
        {R"({"text": 1})", "--text must be a string, not 1"},
        {R"({"text": "a", "txt": 1})", "--txt is unknown (did you mean `text`?)"},
        {R"({"text": null})", "--text is missing (string: What to say)"},
    }));
    const auto params = tried({}, json);
    REQUIRE(!params.has_value());
    CHECK(params.error().message.find(sentence) != std::string::npos);
}

TEST_CASE("nothing is refused when nothing is known about the method", "[cli]") {
    CHECK(tried({{"any", "1"}, {"other", "text"}, {"flag", {}}}, {}, Json()).value() ==
          Json({{"any", 1}, {"other", "text"}, {"flag", true}}));
}

}  // namespace plexus::tests
