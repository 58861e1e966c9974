#include "activations/arbor/render.hpp"
#include "activations/arbor/utf8.hpp"
#include "schema/rpc.hpp"
#include "tests/arbor/world.hpp"

#include <rapidcheck.h>

using namespace plexus;
using namespace plexus::tests;

TEST_CASE_METHOD(World, "a tree is shown as lines", "[arbor][render]") {
    const auto id = tree();
    const auto root = root_of(id);
    vault->things = {
        {"m", {{"type", "message"}, {"role", "user"}, {"name", "bob"}, {"content", "two\nlines"}}},
        {"r", {{"role", "assistant"}, {"content", "yes"}}},
        {"t", {{"type", "turn"}, {"index", 3}}},
        {"e", {{"type", "error"}, {"message", "broken"}}},
        {"n", nullptr},
        {"j", {{"some", "json"}}}};
    const auto a = thing(id, root, "m");
    text(id, a, "a very long line of text that goes on and on beyond what fits");
    thing(id, a, "r");
    const auto b = thing(id, root, "t");
    for (const auto* name : {"e", "n", "j", "gone"}) thing(id, b, name);
    stream(id, b, 3);
    text(id, b, "last child");
    CHECK(call("tree_render", {{"tree_id", id}})["render"] ==
          "└── \n"
          "    ├── [user:bob] two↵lines\n"
          "    │   ├── a very long line of text that goes on and on beyond what ...\n"
          "    │   └── [assistant] yes\n"
          "    └── [turn]\n"
          "        ├── [error: broken]\n"
          "        ├── [empty: " +
              vault->handle("n").text() + "]\n" +
              "        ├── {\"some\":\"json\"}\n"
              "        ├── [unresolved: thing - There is nothing behind " +
              vault->handle("gone").text().substr(0, 12) + "...\n" +
              "        ├── last child\n"
              "        └── [stream of 3 event]");
    CHECK(vault->asked == 1);
    CHECK(call("tree_render", {{"tree_id", id}, {"node_id", a}})["render"] ==
          "└── [user:bob] two↵lines\n"
          "    ├── a very long line of text that goes on and on beyond what ...\n"
          "    └── [assistant] yes");
    const auto plain =
        call("tree_render", {{"tree_id", id}, {"resolve", false}})["render"].get<std::string>();
    CHECK(plain.find("[" + vault->handle("m").text().substr(0, 40)) != std::string::npos);
}

TEST_CASE_METHOD(World, "a chain of ten thousand nodes is shown within bounds", "[arbor][render]") {
    const auto id = tree();
    auto at = node_id(root_of(id));
    write([&](hub::Transaction& sql) {
        for (int i = 0; i < 10'000; ++i) {
            const arbor::NewNode node{
                trees->new_node(), at, "node " + std::to_string(i), {}, false, false, {}, ""};
            at = (arbor::NodeStore(sql).create(tree_id(id), node, 0), node.id);
        }
        return 0;
    });
    const auto answer = call("tree_render", {{"tree_id", id}});
    const auto& text = answer["render"].get_ref<const std::string&>();
    CHECK(answer["truncated"] == false);
    CHECK(std::count(text.begin(), text.end(), '\n') == 10'000);
    CHECK(text.size() < 10'000 * 200);
    CHECK(text.ends_with("(+9968) node 9999"));
}

TEST_CASE("a rendering that would be too large says how much is missing", "[arbor][render]") {
    std::vector<arbor::RenderLine> lines(1000, {1, false, "text"});
    lines[0].depth = 0;
    const auto rendering = arbor::render(lines, 1000);
    CHECK(rendering.shown < 100);
    CHECK(rendering.text.size() <= 1000);
    CHECK(rendering.text.ends_with("… and " + std::to_string(1000 - rendering.shown) + " more nodes"));
}

TEST_CASE("a rendering fits as JSON, whatever is in it", "[arbor][render]") {
    const std::vector<arbor::RenderLine> lines(1000, {40, false, std::string(57, '"')});
    std::vector<arbor::RenderLine> all;
    for (int depth = 0; depth < 40; ++depth) all.push_back({depth, true, "\\"});
    all.insert(all.end(), lines.begin(), lines.end());
    for (const std::size_t limit : {500u, 5'000u, 50'000u, 500'000u})
        CHECK(schema::json_string(arbor::render(all, limit).text).size() <= limit);
}

TEST_CASE("text is cut between characters, never within", "[arbor][render]") {
    const std::string emoji = "👩‍💻";
    for (std::size_t ascii = 40; ascii < 70; ++ascii) {
        const auto text = std::string(ascii, 'x') + emoji + emoji + emoji;
        CHECK(arbor::is_utf8(arbor::shortened(text)));
        CHECK(arbor::shortened(text).size() <= 60);
    }
    CHECK(arbor::shortened(std::string(60, 'x')).size() == 60);
    CHECK(arbor::shortened(std::string(61, 'x')) == std::string(57, 'x') + "...");
    CHECK(arbor::shortened("a\r\nb\x1b[31m") == "a↵b [31m");
    CHECK(rc::check("every cut of valid text is valid", [](const std::vector<std::uint32_t>& numbers) {
        std::string text;
        for (const auto number : numbers) {
            const auto c = 0x20 + number % 0x10ffdf;
            if (c >= 0xd800 && c < 0xe000) continue;
            if (c < 0x80) text += static_cast<char>(c);
            else if (c < 0x800)
                (text += static_cast<char>(0xc0 | c >> 6)) += static_cast<char>(0x80 | (c & 63));
            else if (c < 0x10000)
                ((text += static_cast<char>(0xe0 | c >> 12)) += static_cast<char>(0x80 | (c >> 6 & 63))) +=
                    static_cast<char>(0x80 | (c & 63));
            else
                (((text += static_cast<char>(0xf0 | c >> 18)) += static_cast<char>(0x80 | (c >> 12 & 63))) +=
                 static_cast<char>(0x80 | (c >> 6 & 63))) += static_cast<char>(0x80 | (c & 63));
        }
        RC_ASSERT(arbor::is_utf8(text));
        for (std::size_t i = 0; i <= text.size(); ++i) RC_ASSERT(arbor::is_utf8(arbor::cut(text, i)));
    }));
}
