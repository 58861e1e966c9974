// Where a running daemon may be found, and the token to show it.
#pragma once

#include "daemon/cli/options.hpp"
#include "schema/error.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace plexus::cli {

struct Place {
    std::string socket;  // path of a unix socket; empty means TCP
    std::string host, port;
    std::string text() const;         // unix:/run/… or ws://127.0.0.1:4444
    std::string host_header() const;  // what the daemon's gate expects in Host
    bool operator==(const Place&) const = default;
};

struct Token {
    std::string text;       // empty: none
    std::string from;       // --token, or the file it was read from
    bool insisted = false;  // given by hand: shown to whoever listens, and never left out
};

struct Surroundings {
    std::filesystem::path state_dir;
    std::vector<Place> places;  // in the order in which to try them
    Token token;
    std::optional<schema::Error> config_problem;  // the daemon's configuration exists but cannot be read
};

using Environment = std::map<std::string, std::string>;

// Fails only for what the user typed wrong.
schema::Result<Surroundings> look_around(const Options& options, const Environment& environment);

schema::Result<Place> place_of_url(const std::string& url);

}  // namespace plexus::cli
