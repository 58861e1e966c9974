// The brain of the mirror: CLI messages in, effects out, in order. Pure; one per CLI process.
//
// A turn is opened by begin_turn() before its prompt is written to the CLI, or by the CLI itself (a
// background task ended). `init` starts it, `result` ends it, in that order even when the CLI holds
// results back. Lines that come while no turn is open and belong to the conversation are held for the
// next turn; everything else is told at once.
#pragma once

#include "activations/claudecode/effects.hpp"
#include "activations/claudecode/message_builder.hpp"
#include "activations/claudecode/stream_parser.hpp"
#include "activations/claudecode/usage_meter.hpp"

#include <deque>
#include <functional>
#include <map>
#include <set>

namespace plexus::claudecode {

class Accumulator {
public:
    struct Prompt {
        std::string uuid;     // chosen by us; the CLI echoes it
        std::string content;  // JSON text: a string or an array of blocks
    };

    Accumulator() = default;
    Accumulator(const Accumulator&) = delete;  // its parts refer to each other
    Accumulator& operator=(const Accumulator&) = delete;

    // At most one prompt may wait: hold the next one back until this turn has ended.
    Key begin_turn(const Prompt& prompt);
    void consume(const CliMessage& message);
    // One of our callers asked for the running turn to be stopped: interrupted or cancelled.
    void stopping(ErrorKind kind);
    // The process is gone: every open turn ends.
    void finish(const ProcessEnd& end);
    // We cannot go on (spawn, storage): every open turn ends with this.
    void fail(const TurnError& error);

    std::vector<Effect> take() { return log_.take(); }
    bool busy() const { return waiting_ || !running_.empty(); }

private:
    struct Turn {
        Chain chain;
        Evidence evidence;
        bool from_prompt = false;
        std::string prompt_uuid;
        std::string prompt_content;
        bool acknowledged = false;
        bool joined = false;  // the CLI took the prompt into a turn that was already running
    };

    void on(const CliMessage& message, const InitLine& init);
    void on(const CliMessage& message, const StreamEvent& event);
    void on(const CliMessage& message, const AssistantLine& line);
    void on(const CliMessage& message, const UserLine& line);
    void on(const CliMessage& message, const ResultLine& result);
    void on(const CliMessage& message, const SystemLine& line);
    void on(const CliMessage& message, const RateLimitLine& line);
    void on(const CliMessage& message, const ControlRequest& request);
    void on(const CliMessage& message, const ControlCancel& cancel);
    void on(const CliMessage& message, const ControlResponse& response);
    void on(const CliMessage& message, const TranscriptMirror& mirror);
    void on(const CliMessage& message, const OtherLine& line);
    void on(const CliMessage& message, const Unparsed& line);

    Turn* current();
    Chain* chain_of(const CliMessage& message);
    Chain& sub_agent(const CliMessage& message);
    bool is_open(Key turn) const;
    bool is_echo(const CliMessage& message, const UserLine& line);
    void add_user_line(Chain& chain, const CliMessage& message, const UserLine& line);
    void acknowledge(Turn& turn, std::string_view uuid);

    Turn new_turn(TurnOrigin origin);
    void start_by_cli();
    bool starts_waiting(const InitLine& init) const;
    bool ends_waiting(const Turn& ended, const ResultLine& result) const;
    void end_turn(Turn& turn, Outcome outcome, const ChatUsage& usage, std::string_view result);
    void end_all(const std::function<Outcome(const Turn&)>& judge);
    void close_sub_agents(Key stream);

    void hold(const CliMessage& message);
    void release_held(bool wake_ups);
    void keep_held();
    void notice(const CliMessage& message);
    void pass_through(const CliMessage& message, std::string_view event_type, std::string data);
    void status(std::string_view status, const CliMessage& message);

    EffectLog log_;
    MessageBuilder builder_{log_};
    UsageMeter meter_;
    std::deque<Turn> running_;                              // started; the oldest ends first
    std::optional<Turn> waiting_;                           // its prompt is on its way
    std::map<std::string, Chain, std::less<>> sub_agents_;  // by the call that made them
    std::set<std::string, std::less<>> prompts_;            // uuids of prompts that are stored already
    std::set<std::string, std::less<>> asked_;              // the CLI's requests that are not withdrawn
    std::vector<std::string> held_;
    StreamParser held_parser_;
    std::string session_id_;
    bool session_started_ = false;
    Key last_turn_ = no_key;
};

}  // namespace plexus::claudecode
