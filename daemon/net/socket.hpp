// One socket type for TCP and unix alike, so that everything above is compiled once.
#pragma once

#include "hub/async.hpp"

#include <boost/asio/generic/stream_protocol.hpp>

namespace plexus::net {

namespace asio = boost::asio;
using Socket = asio::generic::stream_protocol::socket;

}  // namespace plexus::net
