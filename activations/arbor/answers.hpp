// Answers that carry nodes, as JSON text made on a storage thread. Each throws too_large before it outgrows
// `limit` bytes, and says how to ask for less.
#pragma once

#include "activations/arbor/paths.hpp"
#include "activations/arbor/wire_nodes.hpp"
#include "activations/arbor/wire_trees.hpp"

namespace plexus::arbor {

std::string tree_answer(hub::Transaction& transaction, const TreeGetParams& asked, std::size_t limit);
std::string skeleton_answer(hub::Transaction& transaction, const TreeGetParams& asked, std::size_t limit);
std::string node_answer(hub::Transaction& transaction, const NodeGetParams& asked, std::size_t limit);
std::string subtree_answer(hub::Transaction& transaction, const SubtreeParams& asked, std::size_t limit);
std::string path_answer(hub::Transaction& transaction, const PathParams& asked, std::size_t limit);
std::string path_data_answer(hub::Transaction& transaction, const PathParams& asked, std::size_t limit);
std::string handles_answer(hub::Transaction& transaction, const PathParams& asked, std::size_t limit);
std::string between_answer(hub::Transaction& transaction, const BetweenParams& asked, std::size_t limit);

// Throws invalid_params for 0.
std::int64_t page_size(std::uint32_t asked, std::int64_t most = 10'000);

}  // namespace plexus::arbor
