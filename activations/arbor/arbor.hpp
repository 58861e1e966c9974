// Arbor's face: all that other activations may include of it.
//
// A transaction of their own combines what belongs together; ids are made before, on the loop:
//
//     co_await storage.write([=](hub::Transaction& transaction) {
//         arbor::NodeStore(transaction).create(tree, node, now);    // TreeStore, NodeStore, BranchStore,
//         Paths, const auto first = arbor::ChainStore(transaction).append(stream, *events);          // and
//         ChainStore …their own tables… return first;
//     });
//     trees.streams().published(stream, first, std::move(*events));
#pragma once

#include "activations/arbor/branch_store.hpp"
#include "activations/arbor/streams.hpp"
#include "hub/ids.hpp"

namespace plexus::arbor {

struct Settings {
    std::chrono::seconds archive_after = std::chrono::hours(7 * 24);
    std::chrono::seconds purge_after = std::chrono::hours(30 * 24);
    std::chrono::seconds cleanup_every = std::chrono::hours(1);
    std::size_t answer_bytes = 10'000'000;  // a little less than a frame may have
    StreamLimits streams;
};

// Made by main, given to every activation that keeps something in trees. Belongs to the loop thread.
class Trees {
public:
    Trees(hub::asio::any_io_executor executor, hub::Storage& storage, hub::Clock& clock, hub::Ids& ids,
          Settings settings = {})
        : storage_(storage),
          clock_(clock),
          ids_(ids),
          settings_(settings),
          streams_(std::move(executor), storage, settings.streams) {}

    hub::Storage& storage() { return storage_; }
    hub::Clock& clock() { return clock_; }
    Streams& streams() { return streams_; }
    const Settings& settings() const { return settings_; }

    TreeId new_tree() { return {ids_.next()}; }
    NodeId new_node() { return {ids_.next()}; }
    ChainId new_chain() { return {ids_.next()}; }
    Seconds now() const { return clock_.seconds(); }
    std::uint64_t seed();

    // Says which nodes are heads: nothing with a head in it is ever purged. To be called at start only.
    void add_pins(Pins pins) { pins_.push_back(std::move(pins)); }
    std::vector<NodeId> heads(hub::Transaction& transaction) const;

private:
    hub::Storage& storage_;
    hub::Clock& clock_;
    hub::Ids& ids_;
    Settings settings_;
    std::vector<Pins> pins_;
    Streams streams_;
};

}  // namespace plexus::arbor
