// stdin and stdout: lines in, lines out, and the log a test may ask for. One thread, blocking writes.
#pragma once

#include <nlohmann/json.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace plexus::fake_agent {

using Json = nlohmann::ordered_json;  // the keys leave in the order they were set, as the real ones do

// Writes every byte, however slowly it is read. A reader that is gone is not an error: the real CLI goes on.
void write_all(std::string_view text);
void write_line(const Json& line);

// FAKE_AGENT_LOG: one JSON object a line, appended, so that several processes may share a file.
void log(const Json& entry);

class Input {
public:
    // The next line; nothing after `ms` (-1: no limit), on a signal, or at the end of stdin.
    std::optional<std::string> line(int ms);
    bool ended() const { return ended_ && lines_.empty(); }

private:
    bool fill(int ms);  // false when there was nothing to read in time

    std::string rest_;
    std::deque<std::string> lines_;
    bool ended_ = false;
};

}  // namespace plexus::fake_agent
