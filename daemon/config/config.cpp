#include "daemon/config/config.hpp"

#include <toml++/toml.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace plexus::config {

namespace fs = std::filesystem;
using schema::Error;
using schema::Result;

namespace {

Error bad_config(std::string message) { return schema::failed("bad_config", std::move(message)); }

Json to_json(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        Json object = Json::object();
        for (const auto& [key, value] : *table) object[std::string(key.str())] = to_json(value);
        return object;
    }
    if (const auto* array = node.as_array()) {
        Json list = Json::array();
        for (const auto& value : *array) list.push_back(to_json(value));
        return list;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) {
        const auto value = number->get();
        return value >= 0 ? Json(static_cast<std::uint64_t>(value)) : Json(value);
    }
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    return nullptr;  // dates have no meaning here; decode() says what was expected
}

std::string in_upper_case(std::string text) {
    for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// The text of a variable, read as whatever the key's default is.
Json value_like(const Json& model, const std::string& text) {
    if (model.is_string()) return text;
    if (model.is_array()) {
        Json list = Json::array();
        std::stringstream parts(text);
        for (std::string part; std::getline(parts, part, ',');) list.push_back(part);
        return list;
    }
    const auto parsed = Json::parse(text, nullptr, false);
    return parsed.is_discarded() ? Json(text) : parsed;
}

// PLEXUS_SERVER_PORT → server.port, for every key there is.
void overlay(Json& file, const std::map<std::string, std::string>& environment) {
    const auto defaults = schema::encode(Config{});
    for (const auto& [section, keys] : defaults.items())
        for (const auto& [key, model] : keys.items()) {
            const auto found = environment.find("PLEXUS_" + in_upper_case(section + "_" + key));
            if (found != environment.end()) file[section][key] = value_like(model, found->second);
        }
    if (const auto debug = environment.find("PLEXUS_DEBUG");
        debug != environment.end() && debug->second == "true")
        file["hub"]["debug"] = true;
}

fs::path usual_place(const std::map<std::string, std::string>& environment) {
    const auto variable = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string() : found->second;
    };
    if (const auto chosen = variable("PLEXUS_CONFIG"); !chosen.empty()) return chosen;
    const auto home =
        variable("XDG_CONFIG_HOME").empty() ? variable("HOME") + "/.config" : variable("XDG_CONFIG_HOME");
    for (const auto& place : {fs::path(home) / "plexus/plexusd.toml", fs::path("/etc/plexus/plexusd.toml")})
        if (fs::exists(place)) return place;
    return {};
}

Result<std::string> read_guarded(const fs::path& path) {
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0)
        return bad_config("Cannot read the configuration " + path.string() + ": " +
                          std::generic_category().message(errno));
    // The file names the program to run, so whoever can write it can run code as us.
    if ((facts.st_mode & 022) != 0)
        return bad_config("The configuration " + path.string() +
                          " can be changed by other users; run: chmod go-w " + path.string());
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

Result<Json> parse_toml(std::string_view text, const std::string& name) try {
    return Result<Json>(boost::system::in_place_value, to_json(toml::parse(text, name)));
} catch (const toml::parse_error& problem) {
    std::stringstream message;
    message << name << " line " << problem.source().begin.line << " column " << problem.source().begin.column
            << ": " << problem.description();
    return Result<Json>(boost::system::in_place_error, bad_config(message.str()));
}

Result<Config> decode(Json file, const std::map<std::string, std::string>& environment) {
    overlay(file, environment);
    auto config = schema::decode<Config>(file, schema::Unknown::refused);
    if (!config) {
        auto message = config.error().message;
        constexpr std::string_view prefix = "Invalid params: ";
        if (message.starts_with(prefix)) message.erase(0, prefix.size());
        return bad_config("In the configuration: " + message);
    }
    return config;
}

Result<Config> load(const fs::path& chosen, const std::map<std::string, std::string>& environment) {
    const auto path = chosen.empty() ? usual_place(environment) : chosen;
    Json file = Json::object();
    if (!path.empty()) {
        const auto text = read_guarded(path);
        if (!text) return text.error();
        auto parsed = parse_toml(*text, path.string());
        if (!parsed) return parsed.error();
        file = std::move(*parsed);
    }
    return decode(std::move(file), environment);
}

std::map<std::string, std::string> process_environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (const auto equals = text.find('='); equals != text.npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

}  // namespace plexus::config
