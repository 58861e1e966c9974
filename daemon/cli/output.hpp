// Where results and remarks go. Results on stdout: for a person on a terminal, one JSON value per line
// otherwise or with --json. Everything else on stderr.
#pragma once

#include "daemon/cli/options.hpp"
#include "daemon/cli/text.hpp"
#include "schema/error.hpp"

namespace plexus::cli {

class Output {
public:
    explicit Output(const Options& options);

    bool json() const { return json_; }         // the form of a command's data
    bool asked_json() const { return asked_; }  // --json: also for what is drawn rather than listed
    const Paint& paint() const { return paint_; }

    void datum(const schema::Json& value);
    void line(const schema::Json& value);  // always as JSON
    void text(std::string_view text);
    void note(std::string_view text);  // unless --quiet
    void error(const schema::Error& error);

private:
    bool json_, asked_, quiet_;
    Paint paint_, paint_errors_;
};

}  // namespace plexus::cli
