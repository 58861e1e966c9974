// The words after `plexusctl call`, told apart before any schema is known. Pure.
#pragma once

#include "schema/error.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace plexus::cli {

struct Words {
    std::string method;
    std::optional<std::string> json;  // `-` means standard input
    struct Named {
        std::string name;
        std::optional<std::string> value;  // none: --flag
    };
    std::vector<Named> named;
    std::vector<std::string> options;  // plexusctl's own, which may stand anywhere
    bool help = false;
};

enum class Kind { parameter, flag, with_value };

// `kind_of("--timeout")` says whether a name is one of plexusctl's own options. After a bare `--` every name
// is a parameter. The value of a parameter is the next word, unless that begins with `--`: then it must be
// written --name=value.
schema::Result<Words> sort_words(const std::vector<std::string>& words,
                                 const std::function<Kind(const std::string&)>& kind_of);

}  // namespace plexus::cli
