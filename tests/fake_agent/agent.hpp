// The process as a whole: reads stdin, answers control requests at any time, runs one turn after the other.
#pragma once

#include "tests/fake_agent/lines.hpp"

#include <set>

namespace plexus::fake_agent {

struct Prompt {
    std::string text;
    Json content;                    // as the client sent it
    std::string uuid;                // the client's, or made up
    std::vector<std::string> given;  // the client's own uuids; more than one when queued lines were merged
};

struct Interrupted {};  // thrown out of a turn by an interrupt request or SIGINT

class Agent {
public:
    explicit Agent(Options options);

    int serve();        // --input-format stream-json: until stdin ends
    int answer_once();  // a prompt on the command line or as text on stdin

    // For a turn. Time passes and control requests are served; throws Interrupted.
    void wait(int ms);
    // Sends a can_use_tool request; the client's response, or nothing if stdin ended first.
    std::optional<Json> ask(const Json& request);
    void print(const Json& line) const;
    [[noreturn]] void leave(int code) const;

    Session session;
    std::set<std::string> always_allowed;  // tools, by "updatedPermissions"
    bool ignores_end = false;              // stdin's end does not end us: only a signal does
    std::vector<std::pair<std::string, std::string>> history;  // prompt uuid, its text

private:
    void take(const std::string& line);
    void take_user(const Json& line);
    void take_control(const Json& line);
    Json initialize() const;
    void rewind(const std::string& id, const Json& request);
    Prompt next_prompt();
    void run(Prompt prompt);

    Input input_;
    std::deque<Prompt> queue_;
    std::set<std::string> seen_;  // uuids: a repeated one is replayed and dropped
    std::string awaited_;         // the request whose answer ask() waits for
    std::optional<Json> answer_;
    bool in_turn_ = false;
    bool interrupted_ = false;
    bool last_was_error_ = false;
};

// The prompt's "#fake name {…}", if it is one, decides what the turn does; otherwise the prompt is echoed.
Outcome play(Agent& agent, const Prompt& prompt);

// Set by SIGINT: the turn is given up and the process leaves in order.
extern volatile int interrupt_signalled;

}  // namespace plexus::fake_agent
