#include "daemon/cli/output.hpp"

#include "daemon/cli/human.hpp"
#include "schema/rpc.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace plexus::cli {

namespace {

bool wants_colour(int descriptor) {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return ::isatty(descriptor) && !(refused && *refused) &&
           std::string_view(terminal ? terminal : "") != "dumb";
}

void put(std::FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);  // a stream is shown as it comes
}

}  // namespace

Output::Output(const Options& options)
    : json_(options.json || !::isatty(STDOUT_FILENO)),
      asked_(options.json),
      quiet_(options.quiet),
      paint_{wants_colour(STDOUT_FILENO)},
      paint_errors_{wants_colour(STDERR_FILENO)} {}

void Output::datum(const schema::Json& value) {
    if (json_) line(value);
    else text(human(value, paint_));
}

void Output::line(const schema::Json& value) { put(stdout, schema::to_json_text(value) + "\n"); }
void Output::text(std::string_view text) { put(stdout, text); }

void Output::note(std::string_view text) {
    if (!quiet_) put(stderr, paint_errors_.dim(printable(text)) + "\n");
}

void Output::error(const schema::Error& error) {
    put(stderr, paint_errors_.red("plexusctl:") + " " + printable(error.message) + " (" +
                    printable(error.reason) + ")\n");
}

}  // namespace plexus::cli
