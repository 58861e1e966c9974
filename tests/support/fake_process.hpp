// hub::Processes without processes: a test plays the child, line by line, and may misbehave as it likes.
//
//     FakeProcesses processes(executor);
//     processes.on_spawn = [](FakeChild& child) {
//         child.on_line = [](FakeChild& self, const std::string& line) { self.say("echo " + line + "\n"); };
//     };
//
// Nothing here waits for time: end() climbs the ladder at once and stops at the first rung not ignored.
#pragma once

#include "hub/process.hpp"
#include "schema/error.hpp"

#include <functional>
#include <set>

#include <signal.h>

namespace plexus::tests {

// The child's side. Shared with the Process, so a test may still look at it when the Process is gone.
class FakeChild {
public:
    FakeChild(boost::asio::any_io_executor executor, hub::Command started_as, int number)
        : command(std::move(started_as)), pid(number), changed(executor) {}

    const hub::Command command;
    const int pid;
    std::string input;         // all that was written to its stdin
    std::vector<int> signals;  // all that it was sent
    bool input_closed = false;
    bool dropped = false;         // its Process was destroyed
    bool takes_no_input = false;  // writes wait, as with a full pipe
    std::set<int> ignores;        // signals; 0 stands for the end of stdin
    std::function<void(FakeChild&, const std::string& line)> on_line;
    hub::Signal changed;  // notify it after changing one of the above by hand

    void say(std::string_view text) { output_ += text, changed.notify(); }
    void complain(std::string_view text) { errors_ += text; }
    void close_output() { output_ended_ = true, changed.notify(); }
    void exits(hub::Exit exit) {
        if (!exit_) exit_ = exit;
        close_output();
    }
    void exits(int code) { exits(hub::Exit{code, {}}); }
    const std::optional<hub::Exit>& exit() const { return exit_; }

private:
    friend class FakeProcess;
    void take(std::string_view text) {
        input += text;
        for (auto end = input.find('\n', seen_); end != input.npos; end = input.find('\n', seen_)) {
            const auto line = input.substr(seen_, end - seen_);
            seen_ = end + 1;
            if (on_line) on_line(*this, line);
        }
    }
    void receive(int number) {
        if (exit_) return;
        if (number) signals.push_back(number);
        changed.notify();
        if (number == SIGKILL) return exits({{}, SIGKILL});
        if (!ignores.contains(number)) exits(number == SIGTERM ? 143 : 0);  // as the real CLI leaves
    }

    std::string output_, errors_;
    std::size_t seen_ = 0;
    bool output_ended_ = false;
    std::optional<hub::Exit> exit_;
};

class FakeProcess final : public hub::Process {
public:
    explicit FakeProcess(std::shared_ptr<FakeChild> child) : child_(std::move(child)) {}
    ~FakeProcess() override {
        child_->dropped = true;
        child_->receive(SIGKILL);
    }

    int pid() const override { return child_->pid; }
    hub::ProcessRecord record() const override { return {child_->pid, 1, "fake boot", "fake tree"}; }
    hub::awaitable<std::size_t> read_stdout(boost::asio::mutable_buffer into) override {
        auto child = child_;
        while (child->output_.empty() && !child->output_ended_) co_await child->changed.wait();
        const auto n = boost::asio::buffer_copy(into, boost::asio::buffer(child->output_));
        child->output_.erase(0, n);
        co_return n;
    }
    hub::awaitable<void> write(std::string text) override {
        auto child = child_;
        while (child->takes_no_input && !child->exit_) co_await child->changed.wait();
        if (child->exit_ || child->input_closed) {
            throw schema::Failure(
                schema::failed("stdin_closed", "The process does not read its input any more"));
        }
        child->take(text);
    }
    void close_stdin() override {
        if (std::exchange(child_->input_closed, true)) return;
        child_->receive(0);
    }
    void signal(int number) override { child_->receive(number); }
    hub::awaitable<hub::Exit> wait() override {
        auto child = child_;
        while (!child->exit_) co_await child->changed.wait();
        co_return *child->exit_;
    }
    std::optional<hub::Exit> exit() const override { return child_->exit_; }
    hub::Tail stderr_tail() const override {
        const auto& all = child_->errors_;
        const auto extra = all.size() > hub::tail_size ? all.size() - hub::tail_size : 0;
        return {all.substr(extra), extra};
    }
    hub::awaitable<hub::Exit> end(hub::Ladder) override {
        close_stdin();
        for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
            if (!child_->exit_) child_->receive(number);
        }
        return wait();
    }

private:
    std::shared_ptr<FakeChild> child_;
};

class FakeProcesses final : public hub::Processes {
public:
    explicit FakeProcesses(boost::asio::any_io_executor executor) : executor_(executor) {}

    std::vector<std::shared_ptr<FakeChild>> children;  // all there ever were, in order
    std::vector<hub::ProcessRecord> swept;
    std::function<void(FakeChild&)> on_spawn;
    std::optional<schema::Error> refuses;

    FakeChild& last() { return *children.back(); }

    std::unique_ptr<hub::Process> spawn(const hub::Command& command) override {
        if (refuses) throw schema::Failure(*refuses);
        const auto number = 1000 + static_cast<int>(children.size());
        children.push_back(std::make_shared<FakeChild>(executor_, command, number));
        if (on_spawn) on_spawn(last());
        return std::make_unique<FakeProcess>(children.back());
    }
    hub::awaitable<std::size_t> sweep(std::vector<hub::ProcessRecord> records) override {
        swept = std::move(records);
        co_return 0;
    }

private:
    boost::asio::any_io_executor executor_;
};

}  // namespace plexus::tests
