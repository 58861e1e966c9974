// JSON-RPC over HTTP POST, without the HTTP: text in, text out.
#pragma once

#include "daemon/rpc/services.hpp"

namespace plexus::rpc {

using hub::awaitable;

// Runs every request of the body; the answer is empty when all were notifications.
awaitable<std::string> answer_post(std::string body, hub::Caller caller, const Services& services);

struct PostCall {
    std::string path;
    schema::Json params;
};

// The one call of a body that asks for items as they come; nothing when it is no such call.
std::optional<PostCall> streaming_call(const std::string& body, const Services& services);
// Delivers each item as JSON text, the last one included.
awaitable<void> stream_post(PostCall call, hub::Caller caller, const Services& services,
                            std::function<awaitable<void>(std::string)> deliver);

}  // namespace plexus::rpc
