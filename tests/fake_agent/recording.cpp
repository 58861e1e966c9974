#include "tests/fake_agent/recording.hpp"

#include "tests/fake_agent/lines.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace plexus::fake_agent {

namespace {

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// "user", "control_response", or "control_request:interrupt": what a client's line is for the order of
// things.
std::string kind_of(const Json& line) {
    const auto type = line.value("type", "");
    return type == "control_request" ? type + ":" + line["request"].value("subtype", "") : type;
}

std::string id_of(const Json& line) {
    const auto* name = line.value("type", "") == "control_request" ? "request_id" : "uuid";
    return line.value(name, "");
}

struct Step {
    std::string line;
    double pause_ms = 0;
    std::map<std::string, int> needs;  // how many lines of each kind the client must have sent
};

class Player {
public:
    Player(const std::string& folder, const Options& options) : options_(options) {
        for (const auto& line : lines_of(folder + "/stdin.jsonl")) {
            recorded_input_.push_back(Json::parse(line, nullptr, false));
        }
        read_steps(folder);
        if (const char* speed = std::getenv("FAKE_AGENT_SPEED")) speed_ = std::atof(speed);
    }

    void play() {
        for (const auto& step : steps_) {
            while (!satisfied(step) && !input_.ended()) take(-1);
            if (step.pause_ms * speed_ >= 1) ::usleep(static_cast<useconds_t>(step.pause_ms * speed_ * 1000));
            while (take(0)) {
            }
            write_all(renamed(step.line) + "\n");
        }
    }
    void wait_for_end() {
        while (!input_.ended()) take(-1);
    }

private:
    // Without a timeline: each turn begins with an init line, and needs one more prompt.
    void read_steps(const std::string& folder) {
        for (auto& line : lines_of(folder + "/stdout.jsonl")) steps_.push_back({std::move(line), 0, {}});
        const auto timeline = lines_of(folder + "/timeline.jsonl");
        std::map<std::string, int> sent;
        double last = 0;
        std::size_t next = 0;
        for (const auto& text : timeline) {
            const auto entry = Json::parse(text, nullptr, false);
            const auto ms = entry.value("ms", last);
            const auto number = entry.value("n", std::size_t{0});
            if (entry.value("ch", "") == "in" && number < recorded_input_.size()) {
                ++sent[kind_of(recorded_input_[number])];
                last = ms;
            } else if (entry.value("ch", "") == "out" && next < steps_.size()) {
                steps_[next].pause_ms = std::max(0.0, ms - last);
                steps_[next++].needs = sent;
                last = ms;
            }
        }
        const auto prompts = std::ranges::count_if(
            recorded_input_, [](const Json& line) { return line.is_object() && kind_of(line) == "user"; });
        int turns = 0;
        for (auto& step : steps_) {
            if (step.line.find("\"subtype\":\"init\"") != step.line.npos) ++turns;
            if (timeline.empty()) step.needs["user"] = std::min(turns, static_cast<int>(prompts));
            step.needs["user"] =
                std::max(step.needs["user"], turns > 0 ? 1 : 0);  // the recorded prompt was an argument
        }
        if (!steps_.empty() && options_.input_format != "stream-json") {
            for (auto& step : steps_) step.needs.clear();
        }
    }

    bool satisfied(const Step& step) const {
        return std::ranges::all_of(step.needs, [&](const auto& need) {
            const auto have = received_.find(need.first);
            return need.first == "control_request:initialize" ||
                   (have != received_.end() ? have->second : 0) >= need.second;
        });
    }

    bool take(int ms) {
        const auto text = input_.line(ms);
        if (!text) return false;
        const auto line = Json::parse(*text, nullptr, false);
        if (!line.is_object()) return true;
        const auto kind = kind_of(line);
        const auto count = received_[kind]++;
        // The n-th line of a kind takes the place of the recorded n-th.
        int seen = 0;
        bool recorded = false;
        for (const auto& old : recorded_input_) {
            if (!old.is_object() || kind_of(old) != kind || seen++ != count) continue;
            recorded = true;
            if (!id_of(old).empty() && !id_of(line).empty()) names_[id_of(old)] = id_of(line);
        }
        if (!recorded && kind == "control_request:initialize") {
            write_line(control_success(id_of(line), {{"commands", Json::array()},
                                                     {"models", Json::array()},
                                                     {"pid", ::getpid()},
                                                     {"claude_code_version", cli_version}}));
        }
        return true;
    }

    std::string renamed(std::string line) {
        if (recorded_session_.empty()) {
            const auto object = Json::parse(line, nullptr, false);
            if (object.is_object()) recorded_session_ = object.value("session_id", "");
            if (!recorded_session_.empty()) names_[recorded_session_] = options_.session_id;
        }
        for (const auto& [old, fresh] : names_) {
            for (auto at = line.find('"' + old + '"'); at != line.npos;
                 at = line.find('"' + old + '"', at + fresh.size())) {
                line.replace(at + 1, old.size(), fresh);
            }
        }
        return line;
    }

    const Options& options_;
    std::vector<Json> recorded_input_;
    std::vector<Step> steps_;
    double speed_ = 1;
    Input input_;
    std::map<std::string, int> received_;
    std::map<std::string, std::string> names_;
    std::string recorded_session_;
};

}  // namespace

int play_recording(const std::string& folder, const Options& options) {
    Player player(folder, options);
    player.play();
    std::ostringstream complaint;
    complaint << std::ifstream(folder + "/stderr.txt").rdbuf();
    std::cerr << complaint.str() << std::flush;
    std::string exit = "0";
    std::getline(std::ifstream(folder + "/exit_code"), exit);
    if (exit.starts_with("signal")) ::kill(::getpid(), SIGKILL);
    const auto code = std::atoi(exit.c_str());
    if (code == 0) player.wait_for_end();  // otherwise it left by itself
    return code;
}

}  // namespace plexus::fake_agent
