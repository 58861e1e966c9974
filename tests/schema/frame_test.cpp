#include "schema/rpc.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace plexus::schema;

int code_of(const Incoming& incoming) { return static_cast<int>(std::get<Refused>(incoming).error.code); }

int refused_with(std::string_view text) {
    FrameReader reader;
    const auto frame = reader.read(text);
    REQUIRE(frame.requests.size() == 1);
    return code_of(frame.requests[0]);
}

Request accepted(std::string_view text) {
    FrameReader reader;
    return std::get<Request>(reader.read(text).requests.at(0));
}

}  // namespace

TEST_CASE("a request is read with its id as it came", "[frame]") {
    CHECK(accepted(R"({"jsonrpc":"2.0","id":7,"method":"m"})").id == "7");
    CHECK(accepted(R"({"jsonrpc":"2.0","id":-9007199254740992,"method":"m"})").id == "-9007199254740992");
    CHECK(accepted(R"({"jsonrpc":"2.0","id":"a\"b","method":"m"})").id == R"("a\"b")");
    CHECK(accepted(R"({"jsonrpc":"2.0","method":"m"})").id.empty());
    CHECK(accepted(R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})").params.is_null());
    CHECK(accepted(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1,-2,0.5,"x"]})").params ==
          Json::parse(R"([1,-2,0.5,"x"])"));
}

TEST_CASE("what is no request is refused with the code that says why", "[frame]") {
    CHECK(refused_with("") == -32700);
    CHECK(refused_with("{nope") == -32700);
    CHECK(refused_with("\"\xff\"") == -32700);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":1,"method":"m"} trailing)") == -32700);
    CHECK(refused_with(std::string(100, '[') + std::string(100, ']')) == -32700);
    CHECK(refused_with("[]") == -32600);
    CHECK(refused_with("1") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"1.0","id":1,"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":1,"method":5})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":null,"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":{},"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":")" + std::string(257, 'x') + R"(","method":"m"})") ==
          -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":1,"method":"m","params":"scalar"})") == -32600);
}

TEST_CASE("a number beyond 64 bits is wrong where it stands, not the end of the frame", "[frame]") {
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":100000000000000000000,"method":"m"})") == -32600);
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":1e400,"method":"m"})") == -32600);
    const auto request = accepted(
        R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"count":100000000000000000000,"t":"1e400"}})");
    CHECK(request.id == "7");
    CHECK(request.params["count"] == 1e20);
    CHECK(request.params["t"] == "1e400");
    CHECK(refused_with(R"({"jsonrpc":"2.0","id":01,"method":"m"})") == -32700);
}

TEST_CASE("a batch is read as its requests, and a bomb as one refusal", "[frame]") {
    FrameReader reader;
    const auto frame =
        reader.read(R"([{"jsonrpc":"2.0","id":1,"method":"m"},5,{"jsonrpc":"2.0","method":"n"}])");
    CHECK(frame.batch);
    REQUIRE(frame.requests.size() == 3);
    CHECK(code_of(frame.requests[1]) == -32600);
    std::string bomb = "[";
    for (int i = 0; i < 101; ++i) bomb += i ? ",{}" : "{}";
    CHECK(refused_with(bomb + "]") == -32600);
}

TEST_CASE("frames we write are JSON whatever the text in them", "[frame]") {
    const auto metadata = item_metadata({"a\"b"}, "0123456789abcdef", 5);
    const Error error{Code::failed, "odd", std::string("bad \xff\x00 bytes", 12), nullptr};
    const auto item = error_item(metadata, error);
    const auto frame = Json::parse(notice("7", item));
    CHECK(frame["params"]["subscription"] == 7);
    CHECK(frame["params"]["result"]["metadata"]["timestamp"] == 5);
    CHECK(frame["params"]["result"]["code"] == "-32000");
    CHECK(Json::parse(request_item("{}", "id", {{"type", "confirm"}}, 9))["timeout"] == 9);
}
