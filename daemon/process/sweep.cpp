#include "daemon/process/sweep.hpp"

#include "daemon/process/launch.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include <map>

namespace plexus::process {

namespace {

bool same_process(const hub::ProcessRecord& record, const Stat& stat) {
    return stat.pid == record.pid && stat.started == record.started && record.boot == boot_id();
}

bool carries_mark(const hub::ProcessRecord& record, pid_t pid) {
    return !record.tree.empty() && started_with(pid, std::string(tree_variable) + "=" + record.tree);
}

}  // namespace

std::vector<Stat> survivors(const std::vector<hub::ProcessRecord>& records) {
    std::map<pid_t, Stat> found;
    const auto add = [&](pid_t pid) {
        const auto stat = read_stat(pid);
        if (stat && stat->state != 'Z' && pid != ::getpid()) found.emplace(pid, *stat);
    };
    if (records.empty()) return {};
    for (const auto pid : all_processes()) {
        const auto stat = read_stat(pid);
        if (!stat) continue;
        for (const auto& record : records) {
            if (!same_process(record, *stat) && !carries_mark(record, pid)) continue;
            add(pid);
            for (const auto child : descendants(pid)) add(child);
        }
    }
    std::vector<Stat> result;
    for (const auto& [pid, stat] : found) result.push_back(stat);
    return result;
}

bool kill_exactly(const Stat& seen) {
    // The descriptor pins the process before we look again: it cannot be exchanged between look and kill.
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, seen.pid, 0)));
    if (!process) return false;
    const auto now = read_stat(seen.pid);
    if (!now || now->started != seen.started) return false;
    return ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace plexus::process
