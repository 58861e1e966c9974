// log::info("session opened", {{"peer", peer}}): an event and its fields, one line each, on stderr.
//
// info = a line a connection, debug = a line a call, warn = someone should look, error = someone must.
// No payloads above debug, no secrets ever. Control characters are escaped: a field cannot forge a line.
#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace plexus::hub::log {

enum class Level { debug, info, warn, error, off };
using Fields = std::initializer_list<std::pair<std::string_view, nlohmann::json>>;

// journal: lines begin with "<N>", the priority syslog and the journal understand, and carry no time.
void start(Level level, bool journal);
void write(Level level, std::string_view event, Fields fields);
// Ask first where making the fields costs more than the line is worth.
bool enabled(Level level);

inline void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
inline void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
inline void warn(std::string_view event, Fields fields = {}) { write(Level::warn, event, fields); }
inline void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }

}  // namespace plexus::hub::log
