// One line of the CLI's stdout in, one typed message out. Pure: no I/O. Not for two threads at once;
// each message lives in the parser until the next line is parsed.
//
// Lines are validated whole by simdjson (20 times the speed of our usual JSON library) and parts are
// handed on as the text that came. Nothing is refused: what cannot be read is Unparsed, what is not
// known is OtherLine, both with everything the line held.
#pragma once

#include "activations/claudecode/cli_message.hpp"
#include "activations/claudecode/line_splitter.hpp"

#include <memory>

namespace plexus::claudecode {

class StreamParser {
public:
    static constexpr std::size_t max_depth = 128;

    StreamParser();
    ~StreamParser();
    StreamParser(StreamParser&&) noexcept;
    StreamParser& operator=(StreamParser&&) noexcept;

    CliMessage parse(std::string_view line);
    CliMessage parse(const Line& line);

private:
    struct Document;
    std::unique_ptr<Document> document_;
};

}  // namespace plexus::claudecode
