// "#fake name {…}": what a prompt can ask of the agent. The table at the end is the list.
#include "tests/fake_agent/mischief.hpp"
#include "tests/fake_agent/turn.hpp"

#include <functional>
#include <map>

namespace plexus::fake_agent {

namespace {

using Scene = std::function<void(Turn&, const Json&)>;

void say(Turn& turn, const std::string& text, int ms = 0) {
    turn.begin();
    turn.text(text, ms);
    turn.end("end_turn");
}

void one_tool(Turn& turn, const Json& given, bool ask) {
    const auto name = given.value("tool", "Bash");
    const auto input =
        given.value("input", Json{{"command", "echo hello-from-bash"}, {"description", "Run a command"}});
    turn.begin();
    turn.text("I will run a command.");
    const auto tool = turn.tool_use(name, input);
    turn.end("tool_use");
    if (ask) turn.tool_with_permission(tool, name, input);
    else turn.tool_result(tool, given.value("output", "hello-from-bash"), given.value("error", false));
    say(turn, "The command finished.");
}

// The results come in the order the tools finish: the last one first.
void parallel(Turn& turn, const Json& given) {
    turn.begin();
    turn.text("Running the tools in parallel.");
    std::vector<std::string> tools;
    for (int i = 0; i < given.value("n", 3); ++i) {
        tools.push_back(
            turn.tool_use("Bash", {{"command", "echo " + std::to_string(i)}, {"description", "Run"}}));
    }
    turn.end("tool_use");
    for (auto i = tools.size(); i-- > 0;) turn.tool_result(tools[i], std::to_string(i));
    say(turn, "All of them finished.");
}

void think(Turn& turn, const Json& given) {
    turn.begin();
    turn.thinking(
        given.value("text", "Let me think about this. The user wants a greeting, so I will greet."));
    turn.text("Hello after thinking.");
    turn.end("end_turn");
}

void many_deltas(Turn& turn, const Json& given) {
    turn.begin();
    turn.begin_text();
    for (int i = 0; i < given.value("n", 100); ++i) {
        turn.add_text(given.value("text", "word") + std::to_string(i) + " ", given.value("ms", 0));
    }
    turn.end_text();
    turn.end("end_turn");
}

void context(Turn& turn, const Json&) {
    const auto& options = turn.agent.session.options;
    say(turn, "prompts=" + std::to_string(turn.agent.history.size()) + " resumed=" + options.resumed +
                  " at=" + options.resumed_at + " fork=" + (options.fork ? "yes" : "no") +
                  " model=" + turn.agent.session.model);
}

void wait_then_say(Turn& turn, const Json& given) {
    turn.begin();
    turn.agent.wait(given.value("ms", 1000));
    turn.text("I waited.");
    turn.end("end_turn");
}

const std::map<std::string, Scene> scenes = {
    {"text",
     [](Turn& turn, const Json& given) {
         say(turn, given.value("text", "Hello from the fake agent."), given.value("ms", 0));
     }},
    {"tool", [](Turn& turn, const Json& given) { one_tool(turn, given, false); }},
    {"permission", [](Turn& turn, const Json& given) { one_tool(turn, given, true); }},
    {"parallel", parallel},
    {"thinking", think},
    {"deltas", many_deltas},
    {"context", context},
    {"wait", wait_then_say},
};

Outcome api_failure(Turn& turn, const Json& given) {
    const auto status = given.value("status", 500);
    const auto retries = given.value("retries", status == 429 || status >= 500 ? 2 : 0);
    auto& agent = turn.agent;
    turn.replay_prompt();
    for (int i = 1; i <= retries; ++i) {
        agent.print(api_retry(agent.session, i, retries, status));
        agent.wait(given.value("ms", 0));
    }
    agent.print(api_error(agent.session, status));
    auto outcome = turn.outcome();
    outcome.is_error = true;
    outcome.terminal_reason = "api_error";
    outcome.stop_reason = "stop_sequence";
    outcome.text = error_text(status);
    outcome.api_error_status = status;
    return outcome;
}

struct Order {
    std::string name;
    Json given = Json::object();
};

std::optional<Order> order_of(const std::string& prompt) {
    constexpr std::string_view mark = "#fake ";
    if (!prompt.starts_with(mark)) return {};
    const auto line = prompt.substr(mark.size(), prompt.find('\n') - mark.size());
    const auto space = line.find(' ');
    Order order{line.substr(0, space), Json::object()};
    if (space != line.npos) order.given = Json::parse(line.substr(space + 1), nullptr, false);
    if (!order.given.is_object())
        order = {"text", {{"text", "What follows \"#fake " + order.name + "\" is not a JSON object."}}};
    return order;
}

}  // namespace

Outcome play(Agent& agent, const Prompt& prompt) {
    Turn turn(agent, prompt);
    const auto order = order_of(prompt.text);
    try {
        if (!order) {
            say(turn, "You said: " + prompt.text);
        } else if (order->name == "error") {
            return api_failure(turn, order->given);
        } else if (const auto scene = scenes.find(order->name); scene != scenes.end()) {
            scene->second(turn, order->given);
        } else if (!misbehave(order->name, turn, order->given)) {
            say(turn, "There is no \"#fake " + order->name + "\".");
        }
    } catch (const Interrupted&) {
        return turn.aborted();
    } catch (const nlohmann::json::exception& wrong) {
        say(turn, std::string("I cannot use these parameters: ") + wrong.what());
    }
    return turn.outcome();
}

}  // namespace plexus::fake_agent
