// JSON text written straight from rows, on storage threads: a path of ten thousand nodes is no work for the
// loop. The shapes are those of wire.hpp; a test holds the two together.
#pragma once

#include "activations/arbor/node_store.hpp"

namespace plexus::arbor {

// Grows up to a limit, then throws too_large with the advice it was given.
class JsonText {
public:
    JsonText(std::size_t limit, std::string_view advice) : limit_(limit), advice_(advice) {}

    JsonText& add(std::string_view text) {
        text_ += text;
        if (text_.size() > limit_) refuse();
        return *this;
    }
    JsonText& add(std::int64_t number) { return add(std::to_string(number)); }
    JsonText& add(const Uuid& id);
    JsonText& add_string(std::string_view text);
    JsonText& add_ids(std::span<const NodeId> ids);
    std::string take() && { return std::move(text_); }

private:
    [[noreturn]] void refuse() const;

    std::string text_;
    std::size_t limit_;
    std::string_view advice_;
};

// The beginning of an answer about a tree: `{"type":…,"tree_id":…`.
JsonText answer(std::size_t limit, std::string_view advice, std::string_view tag, TreeId tree);

// `{` … `}` of a Node.
struct NodeFamily {
    std::optional<NodeId> parent;
    std::span<const NodeId> children;
};
void add_node(JsonText& out, const NodeRow& node, const NodeContent& content, const NodeFamily& family,
              const Owners& owners);
void add_handle(JsonText& out, const NodeContent& content);
// `,"state":…,"refs":…` and the times, as nodes and trees both have them.
void add_condition(JsonText& out, State state, std::int64_t ref_count, const Owners& owners,
                   const std::optional<Seconds>& scheduled_at, const std::optional<Seconds>& archived_at);

}  // namespace plexus::arbor
