// One child as its user holds it: its stdin, its stdout, and a share in its Life. Loop thread only.
#pragma once

#include "daemon/process/life.hpp"

namespace plexus::process {

class LinuxProcess final : public hub::Process {
public:
    LinuxProcess(boost::asio::any_io_executor executor, Descriptor in, Descriptor out,
                 std::shared_ptr<Life> life);
    ~LinuxProcess() override;

    int pid() const override { return life_->record().pid; }
    hub::ProcessRecord record() const override { return life_->record(); }
    hub::awaitable<std::size_t> read_stdout(boost::asio::mutable_buffer into) override;
    hub::awaitable<void> write(std::string text) override;
    void close_stdin() override;
    void signal(int number) override { life_->signal(number); }
    hub::awaitable<hub::Exit> wait() override { return life_->wait(); }
    std::optional<hub::Exit> exit() const override { return life_->exit(); }
    hub::Tail stderr_tail() const override { return life_->tail(); }
    hub::awaitable<hub::Exit> end(hub::Ladder ladder) override;

private:
    bool overdue() const;  // it ended, and so did the time we give others to let go of its pipe
    hub::awaitable<void> until_readable();
    std::size_t bound_rest(std::size_t wanted);

    boost::asio::posix::stream_descriptor in_, out_;
    std::shared_ptr<Life> life_;
    bool ended_ = false;
    std::optional<std::size_t> rest_;  // once overdue: what we still read, so that no flood keeps us for ever
    bool writing_ = false;
    hub::Signal turn_;
};

}  // namespace plexus::process
