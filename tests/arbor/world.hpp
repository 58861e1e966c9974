// Arbor in a hub, on a real SQLite store in a directory of its own, with a clock that the test moves.
#pragma once

#include "activations/arbor/arbor_activation.hpp"
#include "daemon/storage/sqlite.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_outlet.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary.hpp"

#include <random>

namespace plexus::tests {

using arbor::ChainId;
using arbor::NodeId;
using arbor::to_text;
using arbor::TreeId;
using hub::Json;

// Another activation with data of its own; what its handles point at can be lost.
class Vault : public hub::Activation {
public:
    Vault() : Activation("vault", "1.2.0", "Keeps things") {}
    std::map<std::string, Json> things;
    int asked = 0;  // how many times somebody wanted something resolved
    hub::Handle handle(std::string name) const { return make_handle("thing", {std::move(name)}); }
    hub::awaitable<std::vector<schema::Result<Json>>> resolve_all(std::vector<hub::Handle> handles) override;

private:
    hub::awaitable<Json> resolve_handle(hub::Handle handle) override;
};

struct World {
    World();
    ~World();
    void reopen();  // as after a restart of the daemon

    // The datum a method answers with; throws the Failure it ends with.
    Json call(const std::string& method, Json params = Json::object());
    std::string reason(const std::string& method, Json params);  // of its failure; "" when there is none

    template <class Work>
    auto write(Work work) {
        std::optional<std::invoke_result_t<Work, hub::Transaction&>> answer;
        run(loop, [](auto& slot, auto& store, auto inner) -> hub::awaitable<void> {
            slot = co_await store.write(std::move(inner));
        }(answer, *storage, std::move(work)));
        return std::move(*answer);
    }
    template <class Work>
    auto read(Work work) {
        std::optional<std::invoke_result_t<Work, hub::Transaction&>> answer;
        run(loop, [](auto& slot, auto& store, auto inner) -> hub::awaitable<void> {
            slot = co_await store.read(std::move(inner));
        }(answer, *storage, std::move(work)));
        return std::move(*answer);
    }

    Json tree(const std::string& owner = "default");  // the id of a new tree
    Json root_of(const Json& tree);
    Json text(const Json& tree, const Json& parent, const std::string& content = "text");
    Json ephemeral(const Json& tree, const Json& parent, const std::string& content = "text");
    Json thing(const Json& tree, const Json& parent, const std::string& name);
    Json node(const Json& tree, const Json& id);
    Json children(const Json& tree, const Json& id, bool all = false);
    Json path(const Json& tree, const Json& id);
    // A stream below a node, with so many events.
    ChainId stream(const Json& tree, const Json& node, int events);

    std::string dump() const;  // everything in the database, but how many commits it saw
    bool sound();              // check finds nothing wrong with the shape of any tree

    Temporary directory;
    boost::asio::io_context loop{1};
    FakeClock clock;
    std::mt19937_64 random{7};
    hub::Ids ids{clock, [this](std::span<std::uint8_t> bytes) {
                     for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
                 }};
    std::unique_ptr<hub::Storage> storage;
    std::unique_ptr<arbor::Trees> trees;
    std::unique_ptr<hub::RootHub> root;
    arbor::Arbor* arbor = nullptr;
    Vault* vault = nullptr;
    std::vector<NodeId> heads;
    arbor::Settings settings;
};

TreeId tree_id(const Json& text);
NodeId node_id(const Json& text);
inline constexpr auto day = std::chrono::hours(24);

}  // namespace plexus::tests
