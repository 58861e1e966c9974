#include "hub/handle.hpp"

#include <algorithm>

namespace plexus::hub {

namespace {

std::string escaped(std::string_view part) {
    std::string text;
    for (const char c : part) {
        if (c == '%') text += "%25";
        else if (c == ':') text += "%3A";
        else text += c;
    }
    return text;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// A `%` that is no escape stands for itself: handles written by others never escaped anything.
std::string unescaped(std::string_view part) {
    std::string text;
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] == '%' && i + 2 < part.size()) {
            const auto code = part.substr(i + 1, 2);
            if (code == "25" || code == "3A" || code == "3a") {
                text += static_cast<char>(hex_value(code[0]) * 16 + hex_value(code[1]));
                i += 2;
                continue;
            }
        }
        text += part[i];
    }
    return text;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    for (;;) {
        const auto end = text.find(':');
        parts.push_back(unescaped(text.substr(0, end)));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_namespace(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

schema::Error bad_handle(std::string problem, std::string_view text) {
    return {schema::Code::invalid_params, "invalid_handle",
            "Invalid params: " + std::move(problem) +
                ", as in <plugin>@<version>::<method>[:<meta>…]: " + std::string(text.substr(0, 120))};
}

}  // namespace

PluginId plugin_id(std::string_view name, std::string_view version) {
    const auto major = version.substr(0, version.find('.'));
    return schema::uuid_v5_oid(std::string(name) + "@" + std::string(major));
}

schema::Result<Handle> Handle::parse(std::string_view text) {
    const auto at = text.find('@');
    if (at == text.npos) return bad_handle("a handle needs an '@' after the plugin", text);
    const auto colons = text.find("::", at);
    if (colons == text.npos) return bad_handle("a handle needs '::' before the method", text);

    Handle handle;
    handle.version = unescaped(text.substr(at + 1, colons - at - 1));
    const auto owner = text.substr(0, at);
    if (const auto id = schema::parse_uuid(owner)) handle.plugin = *id;
    else if (is_namespace(owner)) handle.plugin = plugin_id(owner, handle.version);
    else return bad_handle("a handle begins with a plugin UUID or a namespace", text);

    auto parts = split(text.substr(colons + 2));
    handle.method = std::move(parts.front());
    handle.meta.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
    return handle;
}

std::string Handle::text() const {
    auto text = schema::to_text(plugin) + "@" + escaped(version) + "::" + escaped(method);
    for (const auto& part : meta) text += ":" + escaped(part);
    return text;
}

}  // namespace plexus::hub

namespace plexus::schema {

using hub::Handle;

namespace {

struct HandleObject {
    Uuid plugin_id{};
    std::string version, method;
    std::vector<std::string> meta;
};
DESCRIBE(HandleObject, (plugin_id, "Who owns the data: UUID v5 of namespace@major"),
         (version, "Of the owner's handle format"), (method, "Kind of data"),
         (meta, "What finds it", defaulted))

// The oldest form, of seed documents; `chat` was its only kind.
struct OldHandleObject {
    std::string source, source_version, identifier;
    Json metadata = nullptr;
};
DESCRIBE(OldHandleObject, (source, "Namespace"), (source_version, "Version"),
         (identifier, "Parts joined by ':'"), (metadata, "Hints for the node", defaulted))

}  // namespace

Json Codec<Handle>::schema(Definitions& definitions) {
    return definitions.refer("Handle", [](Definitions& inner) {
        auto object = Codec<HandleObject>::plain(inner);
        object["title"] = "Handle";
        return object;
    });
}

Json Codec<Handle>::encode(const Handle& handle) {
    Json json = {
        {"plugin_id", to_text(handle.plugin)}, {"version", handle.version}, {"method", handle.method}};
    if (!handle.meta.empty()) json["meta"] = handle.meta;
    return json;
}

void Codec<Handle>::decode(const Json& json, Handle& out, const Path& at) {
    if (json.is_string()) {
        auto parsed = Handle::parse(json.get_ref<const std::string&>());
        if (parsed) out = std::move(*parsed);
        else at.report("is no handle: " + parsed.error().message);
    } else if (json.is_object() && json.contains("source")) {
        OldHandleObject old;
        Codec<OldHandleObject>::decode(json, old, at);
        out = {hub::plugin_id(old.source, old.source_version), old.source_version, "chat",
               hub::split(old.identifier), old.metadata};
    } else if (json.is_object()) {
        HandleObject object;
        Codec<HandleObject>::decode(json, object, at);
        out = {object.plugin_id, object.version, object.method, object.meta, nullptr};
    } else {
        at.expected("a handle, as an object or as text", json);
    }
}

}  // namespace plexus::schema
