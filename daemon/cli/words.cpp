#include "daemon/cli/words.hpp"

#include "daemon/cli/exit.hpp"

namespace plexus::cli {

using schema::Result;

namespace {

bool is_name(const std::string& word) { return word.starts_with("--") && word.size() > 2; }

}  // namespace

Result<Words> sort_words(const std::vector<std::string>& words,
                         const std::function<Kind(const std::string&)>& kind_of) {
    Words sorted;
    bool only_parameters = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& word = words[i];
        if (word == "--" && !only_parameters) {
            only_parameters = true;
            continue;
        }
        const auto equals = word.find('=');
        const auto name = word.substr(0, equals);
        const auto kind = only_parameters ? Kind::parameter : kind_of(name);
        const bool beside = equals == word.npos && i + 1 < words.size() && !is_name(words[i + 1]);
        if (!only_parameters && (word == "--help" || word == "-h")) {
            sorted.help = true;
        } else if (kind != Kind::parameter) {
            sorted.options.push_back(word);
            if (kind == Kind::with_value && beside) sorted.options.push_back(words[++i]);
        } else if (is_name(word)) {
            std::optional<std::string> value;
            if (equals != word.npos) value = word.substr(equals + 1);
            else if (beside && words[i + 1] != "--") value = words[++i];
            sorted.named.push_back({name.substr(2), std::move(value)});
        } else if (sorted.method.empty()) {
            sorted.method = word;
        } else if (!sorted.json) {
            sorted.json = word;
        } else {
            return usage_error("What is " + word +
                               " for? Parameters are given as --name value or as one JSON object");
        }
    }
    return sorted;
}

}  // namespace plexus::cli
