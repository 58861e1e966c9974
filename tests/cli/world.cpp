#include "tests/cli/world.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <utility>

namespace plexus::tests {

namespace {

constexpr int patience_ms = 30'000;

std::string contents(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (auto& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

// Ours, and what the program gets to see.
struct Ends {
    int ours = -1;
    std::string theirs;  // a terminal has a name
    int write = -1;      // a pipe has a number
};

Ends open_terminal() {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(ours >= 0);
    REQUIRE((::grantpt(ours) == 0 && ::unlockpt(ours) == 0));
    return {ours, ::ptsname(ours), -1};
}

Ends open_pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    return {ends[0], {}, ends[1]};
}

}  // namespace

Directory::Directory() {
    auto pattern = (fs::temp_directory_path() / "plexusctl-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()));
    path_ = pattern;
}

Directory::~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

Program::Program(const Words& words, const Setting& setting) {
    const auto in = scratch_->path() / "in", errors = scratch_->path() / "err";
    std::ofstream(in) << setting.input;
    const auto ends = setting.terminal ? open_terminal() : open_pipe();
    descriptor_ = ends.ours;

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const auto& input = setting.terminal ? ends.theirs : in.string();
    posix_spawn_file_actions_addopen(&files, 0, input.c_str(), setting.terminal ? O_RDWR : O_RDONLY, 0);
    if (setting.terminal) {
        posix_spawn_file_actions_adddup2(&files, 0, 1);
        posix_spawn_file_actions_adddup2(&files, 0, 2);
    } else {
        posix_spawn_file_actions_adddup2(&files, ends.write, 1);
        posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT, 0600);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);

    auto environment = setting.environment;
    environment.emplace("PATH", binaries().string() + ":/usr/bin:/bin");
    environment.emplace("HOME", scratch_->path().string());
    environment.emplace("TERM", "xterm");
    std::vector<std::string> variables, argv = words;
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
    const auto path = words[0].find('/') == words[0].npos ? binaries() / words[0] : fs::path(words[0]);
    const int problem = ::posix_spawn(&pid_, path.c_str(), &files, &attributes, pointers(argv).data(),
                                      pointers(variables).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (ends.write >= 0) ::close(ends.write);
    REQUIRE(problem == 0);
}

Program::Program(Program&& other) noexcept
    : out(std::move(other.out)),
      err(std::move(other.err)),
      scratch_(std::move(other.scratch_)),
      pid_(std::exchange(other.pid_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Program::~Program() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (descriptor_ >= 0) ::close(descriptor_);
}

// False at the end. A terminal whose program has gone answers with an error instead of an end of file.
bool Program::read_more() {
    pollfd ready{descriptor_, POLLIN, 0};
    REQUIRE(::poll(&ready, 1, patience_ms) > 0);
    char buffer[4096];
    const auto size = ::read(descriptor_, buffer, sizeof buffer);
    if (size > 0) out.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
}

std::string Program::read_until(const std::string& text) {
    while (out.find(text) == out.npos)
        if (!read_more()) FAIL("it ended without saying " << text << ", but with " << out << err);
    return out;
}

void Program::type(const std::string& text) {
    REQUIRE(::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

void Program::signal(int number) const { ::kill(pid_, number); }

int Program::finish() {
    while (read_more()) {
    }
    const int watched = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pollfd ended{watched, POLLIN, 0};
    const int ready = ::poll(&ended, 1, patience_ms);
    ::close(watched);
    REQUIRE(ready == 1);
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    err = contents(scratch_->path() / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<Json> Ran::lines() const {
    std::vector<Json> all;
    std::stringstream text(out);
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line));
    return all;
}

const fs::path& binaries() {
    static const fs::path path = PLEXUS_BINARY_DIR;
    return path;
}

Ran ran(Program program) {
    const int status = program.finish();
    INFO(program.err);
    return {status, program.out, program.err};
}

Ran plexusctl(Words words, Program::Setting setting) {
    words.insert(words.begin(), "plexusctl");
    return ran(Program(words, setting));
}

namespace {

Words daemon_words(const fs::path& state_dir, const Words& flags) {
    Words words{"plexusd", "--state-dir", state_dir, "--port", "0"};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
}

}  // namespace

Daemon::Daemon(Words flags, const fs::path& below)
    : state_dir_(home_.path() / below), program_(daemon_words(state_dir_, flags), {}) {
    const std::string before = "ready on ws://127.0.0.1:";
    const auto said = program_.read_until(")");
    const auto from = said.find(before) + before.size();
    port_ = said.substr(from, said.find(' ', from) - from);
}

Words Daemon::words_for(Words words) const {
    words.insert(words.begin(), {"plexusctl", "--state-dir", state_dir_});
    return words;
}

Ran Daemon::ctl(Words words, Program::Setting setting) const {
    return ran(Program(words_for(std::move(words)), setting));
}

}  // namespace plexus::tests
