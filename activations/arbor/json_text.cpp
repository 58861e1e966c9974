#include "activations/arbor/json_text.hpp"

#include "activations/arbor/failures.hpp"
#include "schema/rpc.hpp"

#include <algorithm>

namespace plexus::arbor {

void JsonText::refuse() const {
    throw too_large("The answer is larger than " + std::to_string(limit_) + " bytes; " + std::string(advice_),
                    limit_);
}

JsonText& JsonText::add(const Uuid& id) {
    static constexpr char digits[] = "0123456789abcdef";
    char text[38] = {'"'};
    char* at = text + 1;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        *at++ = digits[id.data[i] >> 4];
        *at++ = digits[id.data[i] & 15];
    }
    *at = '"';
    return add(std::string_view(text, sizeof text));
}

JsonText& JsonText::add_string(std::string_view text) {
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c != '"' && c != '\\'; });
    if (plain) return add("\"").add(text).add("\"");
    return add(schema::json_string(text));
}

JsonText& JsonText::add_ids(std::span<const NodeId> ids) {
    add("[");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i > 0) add(",");
        add(ids[i]);
    }
    return add("]");
}

JsonText answer(std::size_t limit, std::string_view advice, std::string_view tag, TreeId tree) {
    JsonText out(limit, advice);
    out.add(R"({"type":")").add(tag).add(R"(","tree_id":)").add(tree);
    return out;
}

void add_handle(JsonText& out, const NodeContent& content) {
    Uuid plugin{};
    std::ranges::copy(content.plugin.first(std::min(content.plugin.size(), plugin.size())), plugin.begin());
    out.add(R"({"plugin_id":)").add(plugin);
    out.add(R"(,"version":)").add_string(content.version);
    out.add(R"(,"method":)").add_string(content.method);
    if (!content.meta.empty()) out.add(R"(,"meta":)").add(content.meta);
    out.add("}");
}

void add_condition(JsonText& out, State state, std::int64_t ref_count, const Owners& owners,
                   const std::optional<Seconds>& scheduled_at, const std::optional<Seconds>& archived_at) {
    out.add(R"(,"state":")").add(schema::Codec<State>::name(state));
    out.add(R"(","refs":{"ref_count":)").add(ref_count).add(R"(,"owners":{)");
    for (bool first = true; const auto& [owner, count] : owners) {
        if (!std::exchange(first, false)) out.add(",");
        out.add_string(owner).add(":").add(count);
    }
    out.add("}}");
    if (scheduled_at) out.add(R"(,"scheduled_deletion_at":)").add(*scheduled_at);
    if (archived_at) out.add(R"(,"archived_at":)").add(*archived_at);
}

void add_node(JsonText& out, const NodeRow& node, const NodeContent& content, const NodeFamily& family,
              const Owners& owners) {
    out.add(R"({"id":)").add(node.id).add(R"(,"parent":)");
    if (family.parent) out.add(*family.parent);
    else out.add("null");
    out.add(R"(,"children":)").add_ids(family.children);
    if (node.kind == Kind::text) {
        out.add(R"(,"data":{"type":"text","content":)").add_string(content.content).add("}");
    } else {
        out.add(R"(,"data":{"type":"external","handle":)");
        add_handle(out, content);
        out.add("}");
    }
    add_condition(out, node.state, node.ref_count, owners, node.scheduled_at, node.archived_at);
    out.add(R"(,"created_at":)").add(node.created_at);
    if (content.metadata) out.add(R"(,"metadata":)").add(*content.metadata);
    out.add("}");
}

}  // namespace plexus::arbor
