#include "daemon/cli/places.hpp"

#include "daemon/cli/exit.hpp"
#include "daemon/config/config.hpp"
#include "daemon/config/state_dir.hpp"

#include <algorithm>
#include <fstream>

namespace plexus::cli {

namespace fs = std::filesystem;
using schema::Result;

namespace {

constexpr auto usual_port = "4444";

Place unix_place(const fs::path& path) { return {fs::absolute(path).string(), {}, {}}; }

// A choice made by hand or in the environment is the only place: talking to another daemon instead would be
// worse than an error. Otherwise the daemon is where its configuration or its defaults put it.
std::vector<Place> usual_places(const config::ServerSection& server, const fs::path& state_dir,
                                const Environment& environment) {
    std::vector<Place> places;
    if (!server.socket.empty()) places.push_back(unix_place(server.socket));
    if (const auto runtime = environment.find("XDG_RUNTIME_DIR");
        runtime != environment.end() && !runtime->second.empty())
        places.push_back(unix_place(fs::path(runtime->second) / "plexus/plexus.sock"));
    places.push_back(unix_place(state_dir / "run/plexus.sock"));
    if (server.port != 0) places.push_back({{}, server.bind, std::to_string(server.port)});
    return places;
}

Token token_for(const Options& options, const fs::path& state_dir) {
    if (!options.token.empty()) return {options.token, "--token", true};
    const auto path = state_dir / "token";
    std::ifstream file(path);
    std::string text;
    std::getline(file, text);
    return {text, path.string(), false};
}

}  // namespace

std::string Place::text() const { return socket.empty() ? "ws://" + host_header() : "unix:" + socket; }

std::string Place::host_header() const {
    if (!socket.empty()) return "localhost";
    return (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + port;
}

Result<Place> place_of_url(const std::string& url) {
    constexpr std::string_view scheme = "ws://";
    if (!url.starts_with(scheme))
        return usage_error("--url must begin with ws://, as in ws://127.0.0.1:4444, not " + url);
    auto rest = url.substr(scheme.size());
    rest = rest.substr(0, rest.find_first_of("/?#"));
    std::string host, port;
    if (rest.starts_with('[')) {
        const auto end = rest.find(']');
        if (end == rest.npos) return usage_error("--url lacks a closing bracket: " + url);
        host = rest.substr(1, end - 1);
        port = rest.substr(end + 1);
    } else {
        host = rest.substr(0, rest.find(':'));
        port = rest.substr(host.size());
    }
    if (port.starts_with(':')) port.erase(0, 1);
    const bool is_number = std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    if (host.empty() || !is_number || port.size() > 5)
        return usage_error("--url must name a host and a port, as in ws://127.0.0.1:4444, not " + url);
    return Place{{}, host, port.empty() ? usual_port : port};
}

Result<Surroundings> look_around(const Options& options, const Environment& environment) {
    Surroundings found;
    found.state_dir = fs::absolute(options.state_dir.empty() ? config::usual_state_dir(environment)
                                                             : fs::path(options.state_dir));
    found.token = token_for(options, found.state_dir);
    const auto config = config::load({}, environment);
    if (!config) found.config_problem = config.error();

    const auto chosen = environment.find("PLEXUS_SOCKET");
    if (!options.url.empty()) {
        auto place = place_of_url(options.url);
        if (!place) return place.error();
        found.places = {*place};
    } else if (!options.socket.empty()) {
        found.places = {unix_place(options.socket)};
    } else if (!options.state_dir.empty()) {
        found.places = {unix_place(found.state_dir / "run/plexus.sock")};
    } else if (chosen != environment.end() && !chosen->second.empty()) {
        found.places = {unix_place(chosen->second)};
    } else {
        found.places =
            usual_places(config ? config->server : config::ServerSection{}, found.state_dir, environment);
    }
    return found;
}

}  // namespace plexus::cli
