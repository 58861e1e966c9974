// The life of one child apart from its input and output: how it ends, what it said on stderr, how to end it.
// Shared by the Process its user holds and by the tasks of LinuxProcesses, which outlive a careless user.
#pragma once

#include "daemon/process/launch.hpp"
#include "hub/async.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

namespace plexus::process {

class Life {
public:
    using Time = std::chrono::steady_clock::time_point;

    Life(boost::asio::any_io_executor executor, hub::ProcessRecord record, Descriptor exit, Descriptor err);

    const hub::ProcessRecord& record() const { return record_; }
    const std::optional<hub::Exit>& exit() const { return exit_; }
    Time exited_at() const { return exited_at_; }
    hub::Tail tail() const;

    void signal(int number);
    // SIGKILL for it and all below it; what is forked meanwhile is found among the leftovers.
    void kill_tree();
    std::chrono::milliseconds leftovers_grace{1000};

    hub::awaitable<hub::Exit> wait();
    hub::awaitable<bool> exits_within(std::chrono::milliseconds time);
    hub::awaitable<void> wait_gone();  // it and all it left behind

    // For its keeper: the two tasks, and the news that the kernel has its exit status.
    hub::awaitable<void> watch();
    hub::awaitable<void> keep_stderr();
    void collect();
    void set_gone();

    hub::Signal& exited() { return exited_; }

private:
    enum class Got { some, nothing, end };
    Got read_stderr();

    hub::ProcessRecord record_;
    boost::asio::posix::stream_descriptor pidfd_, err_;
    std::string tail_;
    std::uint64_t dropped_ = 0;
    std::optional<hub::Exit> exit_;
    Time exited_at_;
    bool gone_ = false;
    hub::Signal exited_, gone_signal_;
};

}  // namespace plexus::process
