// Recordings of the real CLI (tests/recordings), and the accumulator driven by one as the daemon would.
#pragma once

#include "activations/claudecode/accumulator.hpp"

#include <filesystem>
#include <map>

namespace plexus::tests {

struct Recording {
    std::string version;
    std::string name;
    std::string output;              // stdout, byte for byte
    std::vector<std::string> lines;  // of it
    std::vector<schema::Json> json;  // of each; discarded when it is none
    std::vector<claudecode::Accumulator::Prompt> prompts;
    claudecode::ProcessEnd end;

    std::string title() const { return version + "/" + name; }
};

const std::vector<Recording>& recordings();
const Recording& recording(const std::string& version, const std::string& name);

struct Replay {
    std::vector<claudecode::Effect> effects;
    std::vector<std::size_t> effects_of_line;  // how many each line led to
    std::size_t sent = 0;                      // prompts that began a turn; the CLI took others into one
};

// Feeds the output in chunks of the given sizes (over and over; empty: all at once).
Replay replay(const Recording& recording, const std::vector<std::size_t>& chunks = {});

template <class T>
std::vector<T> all(const std::vector<claudecode::Effect>& effects) {
    std::vector<T> found;
    for (const auto& effect : effects)
        if (const auto* wanted = std::get_if<T>(&effect)) found.push_back(*wanted);
    return found;
}

template <class T>
std::vector<T> events(const std::vector<claudecode::Effect>& effects) {
    std::vector<T> found;
    for (const auto& emit : all<claudecode::Emit>(effects))
        if (const auto* wanted = std::get_if<T>(&emit.event)) found.push_back(*wanted);
    return found;
}

// Every effect as text, to compare two runs.
std::vector<std::string> shown(const std::vector<claudecode::Effect>& effects);

}  // namespace plexus::tests
