#include "daemon/rpc/names.hpp"

namespace plexus::rpc {

namespace {

// `arbor_tree_list` → arbor.tree_list. Both halves may hold underscores, so every split is tried.
std::optional<std::string> direct_path(std::string_view name, const hub::Hub& root) {
    for (auto split = name.find('_', 1); split != name.npos; split = name.find('_', split + 1)) {
        const auto* child = root.find_child(name.substr(0, split));
        if (child && child->find_method(name.substr(split + 1)))
            return std::string(name.substr(0, split)) + "." + std::string(name.substr(split + 1));
    }
    return std::nullopt;
}

bool is_unsubscribe(std::string_view name) {
    return name.ends_with("_unsub") || name.find("_unsubscribe_") != name.npos;
}

}  // namespace

Meaning meaning_of(const std::string& name, const hub::Hub& root) {
    using Kind = Meaning::Kind;
    if (name == "_info") return {Kind::stream, name};
    if (name == "rpc.discover") return {Kind::discover, {}};

    if (const auto dot = name.find('.'); dot != name.npos) {
        const auto first = std::string_view(name).substr(0, dot);
        const auto rest = name.substr(dot + 1);
        if (root.is_called(first)) {
            if (rest == "respond") return {Kind::respond, {}};
            if (root.find_method(rest)) return {Kind::stream, rest};
            const auto next = std::string_view(rest).substr(0, rest.find('.'));
            if (root.find_child(next)) return {Kind::stream, rest};
        } else if (root.find_child(first)) {
            if (!is_unsubscribe(name)) return {Kind::stream, name};
        }
    } else if (auto path = direct_path(name, root)) {
        return {Kind::stream, std::move(*path)};
    }
    return is_unsubscribe(name) ? Meaning{Kind::unsubscribe, {}} : Meaning{};
}

}  // namespace plexus::rpc
