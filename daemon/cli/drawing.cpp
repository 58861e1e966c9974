#include "daemon/cli/drawing.hpp"

namespace plexus::cli {

namespace {

void draw_below(const Branch& branch, const std::string& prefix, std::string& text) {
    for (const auto& child : branch.below) {
        const bool last = &child == &branch.below.back();
        text += prefix + (last ? "└── " : "├── ") + child.label + "\n";
        draw_below(child, prefix + (last ? "    " : "│   "), text);
    }
}

}  // namespace

std::string draw(const Branch& root) {
    auto text = root.label + "\n";
    draw_below(root, "", text);
    return text;
}

}  // namespace plexus::cli
