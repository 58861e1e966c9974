// Trees as text: every node one line, branches drawn before it.
#pragma once

#include <string>
#include <vector>

namespace plexus::cli {

struct Branch {
    std::string label;  // one line
    std::vector<Branch> below;
};

std::string draw(const Branch& root);

}  // namespace plexus::cli
