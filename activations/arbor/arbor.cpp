#include "activations/arbor/arbor.hpp"

namespace plexus::arbor {

std::uint64_t Trees::seed() {
    const auto random = ids_.secret();
    std::uint64_t seed = 0;
    std::memcpy(&seed, random.data + 8, sizeof seed);
    return seed;
}

std::vector<NodeId> Trees::heads(hub::Transaction& transaction) const {
    std::vector<NodeId> heads;
    for (const auto& pins : pins_) {
        const auto some = pins(transaction);
        heads.insert(heads.end(), some.begin(), some.end());
    }
    return heads;
}

}  // namespace plexus::arbor
