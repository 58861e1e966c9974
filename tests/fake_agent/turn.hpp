// One turn: API messages made of blocks, tool results between them, printed in the order of the real CLI.
#pragma once

#include "tests/fake_agent/agent.hpp"

namespace plexus::fake_agent {

class Turn {
public:
    Turn(Agent& agent, const Prompt& prompt);

    void begin();  // a new API message
    void end(const char* stop_reason);
    void text(const std::string& text, int ms = 0);
    void begin_text();  // the same in steps
    void add_text(const std::string& piece, int ms = 0);
    void repeat_text(const std::string& piece, int count);  // as fast as can be, for floods
    void end_text();
    void thinking(const std::string& text);
    std::string tool_use(const std::string& name, const Json& input);
    void tool_result(const std::string& tool, const Json& content, bool is_error = false,
                     Json structured = nullptr);

    // Does it if it may: asks, runs or refuses, and prints the result. Bash and Write really happen.
    void tool_with_permission(const std::string& tool, const std::string& name, const Json& input);

    void replay_prompt();  // begin() does it; for turns without a message
    Outcome outcome() const;
    Outcome aborted();  // prints what an interrupt leaves behind

    const std::string& message() const { return message_; }
    Agent& agent;

private:
    void open(Json block);
    void delta(Json delta, int ms);
    void close(Json block);
    void event(Json event);

    Prompt prompt_;
    std::string message_, last_text_;
    int index_ = 0;
    int messages_ = 0;
    bool replayed_ = false;
    std::optional<std::string> open_text_;  // of the text block that is being streamed
    bool open_ = false;
    std::vector<std::string> open_tools_;  // used, but without a result yet
    Usage usage_, message_usage_;
    Json denials_ = Json::array(), entries_ = Json::array();
    std::string parent_;  // in the transcript
};

}  // namespace plexus::fake_agent
