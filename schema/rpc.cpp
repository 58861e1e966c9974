#include "schema/rpc.hpp"

namespace plexus::schema {

std::string json_string(std::string_view text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (const auto part : parts) size += part.size();
    std::string text;
    text.reserve(size);
    for (const auto part : parts) text += part;
    return text;
}

std::string code_text(Code code) { return std::to_string(static_cast<int>(code)); }

}  // namespace

std::string answer(std::string_view id, std::string_view result) {
    return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", result, "}"});
}

std::string refusal(std::string_view id, const Error& error) {
    Json data = error.data.is_object() ? error.data : Json::object();
    data["reason"] = error.reason;
    return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"error":{"code":)", code_text(error.code),
                   R"(,"message":)", json_string(error.message), R"(,"data":)", to_json_text(data), "}}"});
}

std::string item_metadata(const std::vector<std::string>& provenance, std::string_view plexus_hash,
                          std::int64_t unix_seconds) {
    std::string names;
    for (const auto& name : provenance) names += (names.empty() ? "" : ",") + json_string(name);
    return joined({R"({"provenance":[)", names, R"(],"plexus_hash":")", plexus_hash, R"(","timestamp":)",
                   std::to_string(unix_seconds), "}"});
}

std::string data_item(std::string_view metadata, std::string_view content_type, std::string_view content) {
    return joined({R"({"type":"data","metadata":)", metadata, R"(,"content_type":")", content_type,
                   R"(","content":)", content, "}"});
}

std::string progress_item(std::string_view metadata, std::string_view message,
                          std::optional<double> percentage) {
    const auto share = percentage ? R"(,"percentage":)" + Json(*percentage).dump() : std::string();
    return joined(
        {R"({"type":"progress","metadata":)", metadata, R"(,"message":)", json_string(message), share, "}"});
}

std::string error_item(std::string_view metadata, const Error& error) {
    const auto data = error.data.is_null() ? std::string() : R"(,"data":)" + to_json_text(error.data);
    return joined({R"({"type":"error","metadata":)", metadata, R"(,"message":)", json_string(error.message),
                   R"(,"code":")", code_text(error.code), R"(","recoverable":)",
                   error.recoverable ? "true" : "false", R"(,"reason":)", json_string(error.reason), data,
                   "}"});
}

// Both spellings of every key: the Haskell client reads one, the TypeScript clients the other.
std::string request_item(std::string_view metadata, std::string_view request_id, const Json& request,
                         std::int64_t timeout_ms) {
    const auto id = json_string(request_id), body = to_json_text(request),
               timeout = std::to_string(timeout_ms);
    return joined({R"({"type":"request","metadata":)", metadata, R"(,"requestId":)", id, R"(,"request_id":)",
                   id, R"(,"requestData":)", body, R"(,"request":)", body, R"(,"timeoutMs":)", timeout,
                   R"(,"timeout":)", timeout, "}"});
}

std::string done_item(std::string_view metadata) {
    return joined({R"({"type":"done","metadata":)", metadata, "}"});
}

std::string notice(std::string_view subscription, std::string_view item) {
    return joined({R"({"jsonrpc":"2.0","method":"subscription","params":{"subscription":)", subscription,
                   R"(,"result":)", item, "}}"});
}

}  // namespace plexus::schema
