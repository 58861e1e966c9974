// A real daemon in a directory of its own, and the real plexusctl run against it.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plexus::tests {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Directory {
public:
    Directory();
    ~Directory();
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// A program that was started; killed if it is still there at the end.
class Program {
public:
    struct Setting {
        std::string input;                               // what its standard input holds
        std::map<std::string, std::string> environment;  // besides PATH, and a HOME without anything in it
        bool terminal = false;                           // standard input, output and error are one
    };
    Program(const Words& words, const Setting& setting);
    Program(Program&& other) noexcept;  // for handing it on
    ~Program();

    std::string read_until(const std::string& text);  // of standard output (or the terminal), text included
    void type(const std::string& text);
    void signal(int number) const;
    int finish();  // exit status, or 128 + signal; everything it printed is in out and err
    int pid() const { return pid_; }

    std::string out, err;

private:
    bool read_more();

    std::unique_ptr<Directory> scratch_ = std::make_unique<Directory>();
    int pid_ = -1, descriptor_ = -1;
};

struct Ran {
    int status;
    std::string out, err;
    std::vector<Json> lines() const;
};

const fs::path& binaries();

Ran ran(Program program);
Ran plexusctl(Words words, Program::Setting setting = {});

class Daemon {
public:
    explicit Daemon(Words flags = {}, const fs::path& below = "state");

    fs::path state_dir() const { return state_dir_; }
    std::string socket() const { return state_dir_ / "run/plexus.sock"; }
    std::string url() const { return "ws://127.0.0.1:" + port_; }
    const Program& program() const { return program_; }

    Ran ctl(Words words, Program::Setting setting = {}) const;
    Words words_for(Words words) const;  // plexusctl --state-dir … words

private:
    Directory home_;
    fs::path state_dir_;
    Program program_;
    std::string port_;
};

}  // namespace plexus::tests
