// The hub as an OpenRPC 1.2.6 document, from the same tables as its schemas.
#pragma once

#include "hub/hub.hpp"

namespace plexus::hub {

Json openrpc(const Hub& root);

}  // namespace plexus::hub
