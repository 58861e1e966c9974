#include "tests/fake_agent/mischief.hpp"

#include "tests/fake_agent/ids.hpp"

#include <signal.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <map>

namespace plexus::fake_agent {

namespace {

void answer(Turn& turn, const std::string& text) {
    turn.begin();
    turn.text(text);
    turn.end("end_turn");
}

void half_an_answer(Turn& turn) {
    turn.begin();
    turn.begin_text();
    for (const auto* piece : {"This will ", "not be ", "finished"}) turn.add_text(piece);
}

[[noreturn]] void hang() {
    for (;;) ::pause();  // SIGTERM ends it, nothing else we are sent does
}

[[noreturn]] void die_by(int number) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    std::_Exit(1);
}

// Valid lines only, as fast as the pipe takes them: nothing of it may be lost on the other side.
void flood(Turn& turn, const Json& given) {
    const auto wanted = given.value("mb", 64ULL) << 20;
    const std::string piece(4096, 'f');
    unsigned long long written = 0;
    turn.begin();
    while (written < wanted) {
        turn.begin_text();
        turn.repeat_text(piece, 64);
        turn.end_text();
        written += 2 * 64 * (piece.size() + 300);
    }
    turn.end("end_turn");
}

void long_line(Turn& turn, const Json& given) {
    const std::string text(given.value("mb", std::size_t{100}) << 20, 'x');
    turn.begin();
    write_line(assistant(turn.agent.session, turn.message(), {{"type", "text"}, {"text", text}}, {}));
    turn.text("That was a long line.");
    turn.end("end_turn");
}

void bad_utf8(Turn& turn, const Json&) {
    turn.begin();
    auto line = assistant(turn.agent.session, turn.message(), {{"type", "text"}, {"text", "@@"}}, {}).dump();
    line.replace(line.find("@@"), 2, "caf\xE9 \xFF\xFE \xED\xA0\x80");
    write_all(line + "\n");
    turn.text("That was not UTF-8.");
    turn.end("end_turn");
}

void garbage(Turn& turn, const Json&) {
    write_all(
        "\xEF\xBB\xBFnot json at all\n\n\r\n{\"type\":\"system\",\"subtype\":\"crlf\"}\r\n[1,2\n\"text\"\n");
    write_all(std::string("{\"type\":\"nul\",\"x\":\"\0\"}\n", 22));
    write_all(
        "{\"type\":\"big\",\"n\":1e400}\n{\"type\":\"twice\",\"a\":1,\"a\":2}\n{\"type\":\"half\",\"x\":"
        "\"\\ud800\"}\n");
    write_all(std::string(100'000, '[') + std::string(100'000, ']') + "\n");
    answer(turn, "That was garbage.");
}

// In a session of its own, holding our stdin, stdout and stderr open.
void grandchild(Turn& turn, const Json& given) {
    std::cerr << std::flush;
    if (::fork() == 0) {
        ::setsid();
        ::signal(SIGINT, SIG_IGN);
        if (given.value("deaf", false)) ::signal(SIGTERM, SIG_IGN);
        else ::signal(SIGTERM, SIG_DFL);
        ::sleep(given.value("seconds", 600U));
        std::_Exit(0);
    }
    answer(turn, "A grandchild holds the pipes.");
}

using Mischief = std::function<void(Turn&, const Json&)>;
const std::map<std::string, Mischief> table = {
    {"hang", [](Turn&, const Json&) { hang(); }},
    {"hang-midstream", [](Turn& turn, const Json&) { half_an_answer(turn), hang(); }},
    {"hang-after-result",
     [](Turn& turn, const Json&) { turn.agent.ignores_end = true, answer(turn, "I will not leave."); }},
    {"ignore-term",
     [](Turn& turn, const Json&) {
         for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
         turn.agent.ignores_end = true;
         answer(turn, "Only SIGKILL will end me.");
     }},
    {"half-line",
     [](Turn& turn, const Json&) {
         half_an_answer(turn);
         const auto line = result(turn.agent.session, turn.outcome()).dump();
         write_all(line.substr(0, line.size() / 2));
         turn.agent.leave(0);
     }},
    {"no-result",
     [](Turn& turn, const Json&) { answer(turn, "There will be no result."), turn.agent.leave(0); }},
    {"exit",
     [](Turn& turn, const Json& given) {
         std::cerr << given.value("stderr", "fake agent: leaving as told\n");
         turn.agent.leave(given.value("code", 1));
     }},
    {"signal", [](Turn&, const Json& given) { die_by(given.value("n", SIGKILL)); }},
    {"crash-midstream",
     [](Turn& turn, const Json& given) { half_an_answer(turn), die_by(given.value("n", SIGSEGV)); }},
    {"stderr",
     [](Turn& turn, const Json& given) {
         std::cerr << std::string(given.value("kb", std::size_t{100}) << 10, 'e') << "\nend of stderr\n";
         answer(turn, "I complained.");
     }},
    {"raw",
     [](Turn& turn, const Json& given) { write_all(given.value("text", "")), answer(turn, "I said it."); }},
    {"flood", flood},
    {"long-line", long_line},
    {"bad-utf8", bad_utf8},
    {"garbage", garbage},
    {"grandchild", grandchild},
};

}  // namespace

bool misbehave(const std::string& name, Turn& turn, const Json& given) {
    const auto found = table.find(name);
    if (found == table.end()) return false;
    found->second(turn, given);
    return true;
}

}  // namespace plexus::fake_agent
