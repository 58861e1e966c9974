// A disk in memory on which SQLite can live. It remembers every change in order, so that a test can ask what
// it would hold had the power failed after any of them; and it can be told to fail. Used from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace plexus::tests {

struct Operation {
    enum class Kind { create, write, truncate, sync, failed_sync, remove };
    Kind kind;
    int file;                // its number: a name may be used again for another file
    std::string name{};      // of what is created or removed
    std::int64_t at = 0;     // where a write goes, what a truncate leaves
    std::string bytes{};     // of a write
    bool directory = false;  // a sync or removal that makes the names in the directory durable, too
};

using Image = std::map<std::string, std::string>;  // file name → content

// What a crash takes: nothing when only the process dies; everything not synced; or any part of that, in
// sectors of 512 bytes, for a disk writes in the order it likes.
enum class Loss { nothing, unsynced, torn };

// A fault for one operation, counted from the disk's first; `lasting`: for all that follow, too.
struct Fault {
    enum class Kind { read, write, sync } kind;
    std::size_t nth;
    int error;  // EIO, ENOSPC
    bool lasting = false;
};

class CrashDisk {
public:
    // One that begins with an image is there to be looked at: it remembers nothing.
    explicit CrashDisk(Image image = {}, std::vector<Fault> faults = {});
    ~CrashDisk();

    const std::string& vfs() const;
    std::size_t position() const;  // how many operations there were
    std::vector<Operation> operations() const;
    bool failed() const;  // whether a fault came to pass
    void heal();          // no further faults
    void sync_directory();
    // A disk takes its time. Without it, what is answered before a sync looks as if it came after.
    void slow_down(std::chrono::microseconds every_sync);

    struct State;

private:
    std::unique_ptr<State> state_;
};

// Goes through what a disk has seen, one operation at a time.
class Replay {
public:
    explicit Replay(const std::vector<Operation>& operations) : operations_(operations) {}

    bool advance();
    std::size_t position() const { return position_; }
    Image crash(Loss loss, std::mt19937& random) const;

private:
    struct File {
        std::string seen;     // by whoever reads it now
        std::string durable;  // whatever happens
        std::vector<const Operation*> pending;
        std::string name;
        bool entered = false;  // its name is durable
        bool removed = false;
    };
    void sync_directory();
    static void apply(std::string& content, const Operation& operation);
    static std::string torn(const File& file, double kept, std::mt19937& random);

    const std::vector<Operation>& operations_;
    std::size_t position_ = 0;
    std::map<int, File> files_;
};

}  // namespace plexus::tests
