// What can be wrong with a request to arbor, said once: `throw unknown(tree)`.
#pragma once

#include "activations/arbor/ids.hpp"

namespace plexus::arbor {

inline schema::Failure unknown(TreeId tree) {
    const auto text = to_text(tree);
    return schema::Failure(schema::not_found("There is no tree " + text, {{"tree_id", text}}));
}
inline schema::Failure unknown(NodeId node) {
    const auto text = to_text(node);
    return schema::Failure(schema::not_found("There is no node " + text, {{"node_id", text}}));
}
inline schema::Failure unknown(ChainId chain) {
    const auto text = to_text(chain);
    return schema::Failure(schema::not_found("There is no stream " + text, {{"stream_id", text}}));
}
inline schema::Failure foreign(NodeId node, TreeId tree) {
    return schema::Failure(
        schema::failed("conflict", "Node " + to_text(node) + " belongs to another tree than " + to_text(tree),
                       {{"node_id", to_text(node)}, {"tree_id", to_text(tree)}}));
}
inline schema::Failure archived(TreeId tree) {
    return schema::Failure(
        schema::failed("archived", "Tree " + to_text(tree) + " is archived", {{"tree_id", to_text(tree)}}));
}
inline schema::Failure conflict(std::string sentence, NodeId node) {
    return schema::Failure(schema::failed("conflict", std::move(sentence), {{"node_id", to_text(node)}}));
}
inline schema::Failure invalid(std::string problem) {
    return schema::Failure(schema::invalid_params(std::move(problem)));
}
inline schema::Failure too_large(std::string sentence, std::size_t limit) {
    return schema::Failure(schema::failed("too_large", std::move(sentence), {{"limit", limit}}));
}

}  // namespace plexus::arbor
