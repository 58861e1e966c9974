#include "hub/hub.hpp"

#include "tests/support/fake_outlet.hpp"
#include "tests/support/loop.hpp"

namespace {

using namespace plexus;
using hub::awaitable;
using hub::Json;
using hub::Scope;

struct NoteParams {
    std::string text;
    std::uint32_t times = 1;
};
DESCRIBE(NoteParams, (text, "What to note"), (times, "How often", defaulted))

struct Noted {
    static constexpr std::string_view tag = "noted";
    std::string text;
    hub::Handle handle;
};
DESCRIBE(Noted, (text, "What was noted"), (handle, "Points at it"))

class Notes : public hub::Activation {
public:
    explicit Notes(std::string name = "notes")
        : Activation(std::move(name), "1.2.0", "Remembers short texts") {
        tell_failures_as_data();
        method("add", "Append a note", Scope::chat, &Notes::add);
        method("list", "All notes", Scope::read, &Notes::list);
        gate("page", "One page of notes", "page_ids", Scope::read);
    }

private:
    awaitable<Noted> add(NoteParams params) {
        if (params.text.empty())
            throw schema::Failure(schema::failed("conflict", "An empty note is no note"));
        co_return Noted{params.text, make_handle("note", {params.text})};
    }
    awaitable<void> list(hub::NoParams, hub::Sink<Noted> out) {
        const Noted one{"a", make_handle("note", {"a"})};
        co_await out.send(one);
    }
    awaitable<Json> resolve_handle(hub::Handle handle) override {
        co_return Json{{"note", handle.meta.at(0)}};
    }
    awaitable<std::shared_ptr<hub::Activation>> dynamic_child(std::string name) override {
        co_return name == "one" ? std::make_shared<Notes>("page") : nullptr;
    }
    awaitable<std::vector<std::string>> dynamic_children() override {
        co_return std::vector<std::string>{"one"};
    }
};

struct World {
    boost::asio::io_context loop;
    hub::RootHub root{"substrate", "1.0.0", "root"};
    hub::Hub& lab = root.add<hub::Hub>("lab", "1.0.0", "inner");
    Notes& notes = lab.add<Notes>();
    tests::FakeOutlet outlet;
    schema::Error error;

    World() { root.also_known_as("plexus"); }

    // The first datum, or null with `error` set.
    Json call(std::string path, Json params = nullptr) {
        outlet.items.clear();
        outlet.content_types.clear();
        error = {};
        tests::run(loop, [](World& w, std::string p, Json q) -> awaitable<void> {
            const auto outcome = co_await hub::guarded(w.root.invoke(std::move(p), std::move(q), w.outlet));
            if (!outcome) w.error = outcome.error();
        }(*this, std::move(path), std::move(params)));
        return outlet.items.empty() ? Json() : outlet.items[0];
    }
};

}  // namespace

TEST_CASE_METHOD(World, "a path is routed through nested hubs, under every name of the root", "[hub]") {
    for (const auto* path : {"lab.notes.add", "substrate.lab.notes.add", "plexus.lab.notes.add"}) {
        CHECK(call(path, {{"text", "hi"}})["text"] == "hi");
        CHECK(outlet.provenance == std::vector<std::string>{"substrate", "lab", "notes"});
        CHECK(outlet.content_types[0] == "notes.add");
    }
}

TEST_CASE_METHOD(World, "parameters come in every form that clients use", "[hub]") {
    for (const auto* form : {R"({"text":"x"})", R"([{"text":"x"}])", R"(["x"])", R"(["x",2])",
                             R"({"text":"x","times":null,"unknown":1})"})
        CHECK(call("lab.notes.add", Json::parse(form))["text"] == "x");
    call("lab.notes.add", Json::array());
    CHECK(error.message == "Invalid params: missing field: text");
    call("lab.notes.add", "scalar");
    CHECK(error.message == "Invalid params: expected object");
    call("lab.notes.add", Json::parse(R"(["x",2,3])"));
    CHECK(error.code == schema::Code::invalid_params);
}

TEST_CASE_METHOD(World, "what does not exist is named, with the nearest that does", "[hub]") {
    call("nope.x");
    CHECK(error.message == "Activation not found: nope");
    CHECK(error.reason == "activation_not_found");
    call("lab.notes.ad");
    CHECK(error.message == "Method not found: notes.ad (did you mean `add`?)");
    call("substrate.call", {{"method", "nodot"}});
    CHECK(error.message == "Invalid params: Invalid method format: nodot");
    CHECK(error.code == schema::Code::invalid_params);
}

TEST_CASE_METHOD(World, "a domain failure is a datum and an ending", "[hub]") {
    const auto datum = call("lab.notes.add", {{"text", ""}});
    CHECK(datum == Json({{"type", "error"},
                         {"message", "An empty note is no note"},
                         {"code", "-32000"},
                         {"reason", "conflict"}}));
    CHECK(error.reason == "conflict");
}

TEST_CASE_METHOD(World, "a caller without the scope is refused before anything runs", "[hub]") {
    outlet.who.scopes = {Scope::read};
    CHECK(call("lab.notes.add", {{"text", "hi"}}).is_null());
    CHECK(error.message == "Forbidden: missing required scope 'chat'");
    outlet.who.scopes = {};
    call("lab.notes.list");
    CHECK(error.code == schema::Code::unauthenticated);
    CHECK(call("_info")["backend"] == "substrate");
    CHECK(call("substrate.call", {{"method", "substrate._info"}})["backend"] == "substrate");
}

TEST_CASE_METHOD(World, "a handle is resolved by whoever owns it, however deep", "[hub]") {
    const auto handle = call("lab.notes.add", {{"text", "deep"}})["handle"];
    CHECK(call("substrate.resolve_handle", {{"handle", handle}}) == Json({{"note", "deep"}}));
    CHECK(outlet.content_types[0] == "notes.resolve_handle");
    CHECK(call("resolve_handle", "notes@1.2.0::note:text%3Aform") == Json({{"note", "text:form"}}));
    const auto many = call("resolve_handles", {{"handles", {handle, "nobody@1.0.0::x"}}});
    CHECK(many["results"][0] == Json({{"note", "deep"}}));
    CHECK(many["results"][1]["reason"] == "activation_not_found");
}

TEST_CASE_METHOD(World, "a handle that cannot be resolved says why", "[hub]") {
    CHECK(call("resolve_handle", "notes@1.9.0::note:x")["type"] == "error");
    CHECK(error.reason == "handle_version_unsupported");
    CHECK_THAT(error.message, Catch::Contains("1.9.0") && Catch::Contains("1.2.0"));
    call("resolve_handle", "nobody@1.0.0::x");
    CHECK(error.reason == "activation_not_found");
    call("resolve_handle", "garbage");
    CHECK(error.code == schema::Code::invalid_params);
    call("resolve_handle", "lab@1.0.0::x");
    CHECK(error.message == "Handle resolution not supported by activation: lab");
}

TEST_CASE_METHOD(World, "children that are data are reached with and without the gate's name", "[hub]") {
    CHECK(call("lab.notes.page.one.add", {{"text", "p"}})["text"] == "p");
    CHECK(outlet.provenance.back() == "page");
    CHECK(call("lab.notes.one.add", {{"text", "p"}})["text"] == "p");
    CHECK(call("lab.notes.one.schema")["namespace"] == "page");
    CHECK(call("lab.notes.page", {{"name", "one"}})["type"] == "child");
    CHECK(call("lab.notes.page", {{"name", "two"}}).is_null());
    CHECK(error.message.empty());
    CHECK(call("lab.notes.page_ids") == "one");
    CHECK(call("lab.notes.list_children") == "one");
    call("lab.notes.page.two.add");
    CHECK(error.reason == "child_not_found");
}

TEST_CASE_METHOD(World, "every layer describes itself with hashes that do not change", "[hub]") {
    const auto schema = call("lab.notes.schema");
    CHECK(schema["methods"][0]["name"] == "add");
    CHECK(schema["methods"][0]["scope"] == "chat");
    CHECK(schema["methods"][2]["hash"] == "auto_schema");
    CHECK(schema["methods"][3]["role"]["kind"] == "dynamic_child");
    CHECK_FALSE(schema.contains("children"));
    CHECK(schema["methods"][0]["returns"]["oneOf"].back()["properties"]["type"]["const"] == "error");
    CHECK(call("lab.notes.add.schema")["name"] == "add");
    CHECK(outlet.content_types[0] == "notes.schema");
    CHECK(call("lab.notes.schema", {{"method", "add"}})["name"] == "add");
    CHECK(call("substrate.schema")["children"][0]["hash"] == call("lab.hash")["value"]);
    const World again;
    CHECK(again.root.hash() == root.hash());
}

TEST_CASE_METHOD(World, "calls nest, but not for ever", "[hub]") {
    Json nested = {{"method", "lab.notes.add"}, {"params", {{"text", "x"}}}};
    for (int i = 0; i < 3; ++i) nested = {{"method", "substrate.call"}, {"params", nested}};
    CHECK(call("call", nested)["text"] == "x");
}

TEST_CASE("two activations of one name are refused", "[hub]") {
    hub::RootHub root("substrate", "1.0.0", "root");
    root.add<Notes>("notes");
    CHECK_THROWS_AS(root.add<Notes>("notes"), std::logic_error);
    CHECK_THROWS_AS(root.add<Notes>("substrate"), std::logic_error);
    CHECK_THROWS_AS(root.add<Notes>("a.b"), std::logic_error);
}
