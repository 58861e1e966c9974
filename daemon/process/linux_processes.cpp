#include "daemon/process/linux_processes.hpp"

#include "daemon/process/lineage.hpp"
#include "daemon/process/linux_process.hpp"
#include "daemon/process/sweep.hpp"
#include "hub/log.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace plexus::process {

namespace asio = boost::asio;
using hub::awaitable;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 5s;  // with processes that survive SIGKILL: those stuck in the kernel

void signal_all(const std::vector<pid_t>& pids, int number) {
    for (const auto pid : pids) ::kill(pid, number);
}

}  // namespace

LinuxProcesses::LinuxProcesses(asio::any_io_executor executor)
    : executor_(executor), child_ended_(executor, SIGCHLD), changed_(executor), tasks_(executor) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::signal(SIGPIPE, SIG_IGN);  // a child that closes its stdin is an error of that write, not our end
    for (const auto pid : children(::getpid())) foreign_.insert(pid);
    tasks_.spawn([this] { return reap_on_signal(); });
}

std::unique_ptr<hub::Process> LinuxProcesses::spawn(const hub::Command& command) {
    auto launched = launch(command);
    auto life = std::make_shared<Life>(executor_, std::move(launched.record), std::move(launched.exit),
                                       std::move(launched.err));
    running_.emplace(life->record().pid, life);
    tasks_.spawn([life] { return life->keep_stderr(); });
    tasks_.spawn([this, life] { return look_after(life); });
    return std::make_unique<LinuxProcess>(executor_, std::move(launched.in), std::move(launched.out),
                                          std::move(life));
}

awaitable<void> LinuxProcesses::look_after(std::shared_ptr<Life> life) {
    co_await life->watch();
    running_.erase(life->record().pid);
    co_await clear_leftovers(life->leftovers_grace);
    life->set_gone();
    changed_.notify();
}

// All our children that we did not start come from one that is gone, since each keeps its own orphans
// (launch).
std::vector<pid_t> LinuxProcesses::leftovers() const {
    std::vector<pid_t> found;
    for (const auto pid : children(::getpid())) {
        if (running_.contains(pid) || foreign_.contains(pid)) continue;
        found.push_back(pid);
        const auto below = descendants(pid);
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

awaitable<void> LinuxProcesses::clear_leftovers(std::chrono::milliseconds grace) {
    reap();
    if (leftovers().empty()) co_return;
    const auto started = steady_clock::now();
    if (grace > 0ms) signal_all(leftovers(), SIGTERM);
    while (!leftovers().empty()) {
        const auto waited = steady_clock::now() - started;
        if (waited >= grace) signal_all(leftovers(), SIGKILL);
        if (waited >= grace + patience) {
            hub::log::error("processes survive SIGKILL", {{"pids", leftovers()}});
            co_return;
        }
        co_await pause();
        reap();
    }
}

awaitable<void> LinuxProcesses::pause() {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(executor_, 10ms);
    co_await (changed_.wait() || timer.async_wait(asio::as_tuple(hub::use_awaitable)));
}

awaitable<void> LinuxProcesses::reap_on_signal() {
    for (;;) {
        co_await child_ended_.async_wait(hub::use_awaitable);
        reap();
        changed_.notify();
    }
}

void LinuxProcesses::reap() {
    for (;;) {
        siginfo_t ended{};
        if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
        const auto ours = running_.find(ended.si_pid);
        if (ours != running_.end() && !ours->second->exit()) {
            ours->second->collect();
        } else {
            ::waitpid(ended.si_pid, nullptr, WNOHANG);
            foreign_.erase(ended.si_pid);
        }
    }
}

awaitable<std::size_t> LinuxProcesses::sweep(std::vector<hub::ProcessRecord> records) {
    std::set<pid_t> killed;
    const auto started = steady_clock::now();
    for (auto found = survivors(records); !found.empty(); found = survivors(records)) {
        for (const auto& stat : found) {
            if (kill_exactly(stat)) killed.insert(stat.pid);
        }
        if (steady_clock::now() - started >= patience) {
            hub::log::error("processes of an earlier run survive SIGKILL", {{"count", found.size()}});
            break;
        }
        co_await pause();
    }
    if (!killed.empty()) hub::log::warn("killed what an earlier run left behind", {{"pids", killed}});
    co_return killed.size();
}

awaitable<void> LinuxProcesses::close() {
    for (const auto& [pid, life] : running_) {
        life->leftovers_grace = {};
        life->kill_tree();
    }
    const auto started = steady_clock::now();
    while (tasks_.size() > 1 && steady_clock::now() - started < patience) co_await pause();
    co_await tasks_.cancel_and_join();
}

}  // namespace plexus::process
