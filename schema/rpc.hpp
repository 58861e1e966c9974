// JSON-RPC 2.0 as it travels: requests in, answers and subscription items out. No I/O here.
//
// Requests are read with simdjson, which checks the whole text (UTF-8, numbers, depth) and is fast enough
// to do it on every frame. Frames are written by splicing text: a payload that is JSON text already is
// never parsed again only to be passed on.
#pragma once

#include "schema/error.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plexus::schema {

struct Request {
    std::string id;  // JSON text, echoed in the answer; empty for a notification
    std::string method;
    Json params = nullptr;
};

// A request, or why it is none. `id` is what the refusal is addressed to ("null" when unknown).
struct Refused {
    std::string id = "null";
    Error error;
};
using Incoming = std::variant<Request, Refused>;

struct Frame {
    bool batch = false;
    std::vector<Incoming> requests;
};

struct FrameLimits {
    std::size_t depth = 64;
    std::size_t batch = 100;
};

class FrameReader {
public:
    explicit FrameReader(FrameLimits limits = {});
    ~FrameReader();
    FrameReader(FrameReader&&) = delete;

    // The error of a frame that is no JSON, or no request at all, comes as a single Refused.
    Frame read(std::string_view text);

private:
    struct Parser;
    FrameLimits limits_;
    std::unique_ptr<Parser> parser_;  // keeps its memory between frames
};

// Strict JSON with a depth limit, for text that comes from outside but is no frame.
Result<Json> parse_json(std::string_view text, std::size_t depth = 64);

// JSON text of a string, quotes included. Bytes that are no UTF-8 are replaced, never passed on.
std::string json_string(std::string_view text);
std::string to_json_text(const Json& json);

std::string answer(std::string_view id, std::string_view result);
std::string refusal(std::string_view id, const Error& error);

// {"provenance":[…],"plexus_hash":"…","timestamp":…}: stands on every item.
std::string item_metadata(const std::vector<std::string>& provenance, std::string_view plexus_hash,
                          std::int64_t unix_seconds);

// The five kinds of item, as JSON text.
std::string data_item(std::string_view metadata, std::string_view content_type, std::string_view content);
std::string progress_item(std::string_view metadata, std::string_view message,
                          std::optional<double> percentage);
std::string error_item(std::string_view metadata, const Error& error);
std::string request_item(std::string_view metadata, std::string_view request_id, const Json& request,
                         std::int64_t timeout_ms);
std::string done_item(std::string_view metadata);

// The notification that carries an item. `subscription` is JSON text: a number, or what `respond` answered.
std::string notice(std::string_view subscription, std::string_view item);

}  // namespace plexus::schema
