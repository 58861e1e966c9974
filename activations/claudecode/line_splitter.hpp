// Bytes in, in any chunks; complete lines out, the same for every chunking. Pure; one per process.
//
//     splitter.feed(chunk);
//     while (auto line = splitter.next()) ...
//
// A line inside one chunk is not copied. A line above the limit is reported by its head, length and
// hash and never held whole, so no agent can make us grow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plexus::claudecode {

struct Oversize {
    std::string head;
    std::uint64_t length = 0;
    std::string sha256;
};

struct Line {
    std::string_view text;  // valid until the next call; empty when oversize
    std::optional<Oversize> oversize;
};

class LineSplitter {
public:
    static constexpr std::size_t default_limit = 16u << 20;
    static constexpr std::size_t head_size = 64u << 10;

    explicit LineSplitter(std::size_t limit = default_limit);
    ~LineSplitter();

    // The chunk must stay alive until next() has answered nullopt.
    void feed(std::string_view chunk) { chunk_ = chunk; }
    // No more bytes will come: what is left over is a line as well.
    void close() { closed_ = true; }
    // Blank lines are passed over; the line end (LF or CRLF) and a byte order mark are taken off.
    std::optional<Line> next();

    std::size_t held_bytes() const;

private:
    class Digest;

    std::optional<Line> finish_line(std::string_view last_part);
    void keep(std::string_view part);
    std::string_view trimmed(std::string_view line);

    std::size_t limit_;
    std::string_view chunk_;
    std::string held_;     // the start of a line whose end has not come
    std::string current_;  // the line handed out last, when it had to be put together
    std::uint64_t length_ = 0;
    std::unique_ptr<Digest> digest_;  // there while the line in hand is too long
    bool first_ = true;
    bool closed_ = false;
};

}  // namespace plexus::claudecode
