// Finding what an earlier life of the daemon left running, without ever touching a process that only has the
// number of one. Pure reading of /proc but for kill_exactly().
#pragma once

#include "daemon/process/lineage.hpp"
#include "hub/process.hpp"

namespace plexus::process {

// The recorded processes themselves (number, start time and boot agree), all below them, and every process
// whose environment carries the mark of a recorded tree. The dead are not listed, nor are we.
std::vector<Stat> survivors(const std::vector<hub::ProcessRecord>& records);

// SIGKILL if the process with that number is still the one that was looked at.
bool kill_exactly(const Stat& seen);

}  // namespace plexus::process
