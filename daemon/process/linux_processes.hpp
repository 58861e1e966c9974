// hub::Processes on Linux. Owns the tasks that watch each child, reaps what is handed to us, and sees to it
// that a child that is gone leaves nothing running.
//
// One per daemon, on the loop thread, made before the first child: it makes the daemon the subreaper of all
// its descendants and ignores SIGPIPE. Every child of this process that was not there before belongs to it.
#pragma once

#include "daemon/process/life.hpp"

#include <boost/asio/signal_set.hpp>

#include <set>

namespace plexus::process {

class LinuxProcesses final : public hub::Processes {
public:
    explicit LinuxProcesses(boost::asio::any_io_executor executor);

    std::unique_ptr<hub::Process> spawn(const hub::Command& command) override;
    hub::awaitable<std::size_t> sweep(std::vector<hub::ProcessRecord> records) override;

    // Kills and reaps all that is left. Await it before destruction.
    hub::awaitable<void> close();

private:
    hub::awaitable<void> look_after(std::shared_ptr<Life> life);
    hub::awaitable<void> clear_leftovers(std::chrono::milliseconds grace);
    std::vector<pid_t> leftovers() const;
    hub::awaitable<void> reap_on_signal();
    void reap();
    hub::awaitable<void> pause();  // until something ended, or a moment at most

    boost::asio::any_io_executor executor_;
    std::map<pid_t, std::shared_ptr<Life>> running_;
    std::set<pid_t> foreign_;  // children we were born with, as a shell's "foo & exec plexusd" leaves them
    boost::asio::signal_set child_ended_;
    hub::Signal changed_;
    hub::TaskGroup tasks_;  // last: its tasks use all of the above
};

}  // namespace plexus::process
