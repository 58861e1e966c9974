#include "hub/log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace plexus::hub::log {

namespace {

constexpr std::size_t queued_lines = 8192;

bool to_journal = false;

spdlog::level::level_enum severity(Level level) {
    switch (level) {
        case Level::debug:
            return spdlog::level::debug;
        case Level::info:
            return spdlog::level::info;
        case Level::warn:
            return spdlog::level::warn;
        case Level::error:
            return spdlog::level::err;
        case Level::off:
            break;
    }
    return spdlog::level::off;
}

const char* priority(Level level) {
    switch (level) {
        case Level::debug:
            return "<7>";
        case Level::info:
            return "<6>";
        case Level::warn:
            return "<4>";
        default:
            return "<3>";
    }
}

}  // namespace

void start(Level level, bool journal) {
    to_journal = journal;
    spdlog::init_thread_pool(queued_lines, 1);
    auto logger = std::make_shared<spdlog::async_logger>(
        "plexusd", std::make_shared<spdlog::sinks::stderr_sink_mt>(), spdlog::thread_pool(),
        spdlog::async_overflow_policy::overrun_oldest);
    logger->set_pattern(journal ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %L %v");
    logger->set_level(severity(level));
    logger->flush_on(spdlog::level::warn);
    spdlog::set_default_logger(std::move(logger));
}

bool enabled(Level level) { return spdlog::default_logger_raw()->should_log(severity(level)); }

void write(Level level, std::string_view event, Fields fields) {
    auto* logger = spdlog::default_logger_raw();
    if (!logger->should_log(severity(level))) return;
    std::string line = to_journal ? priority(level) : "";
    line += event;
    // Strings are written as JSON strings: quotes and control characters cannot break out of their field.
    for (const auto& [name, value] : fields) {
        line += ' ';
        line += name;
        line += '=';
        line += value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    }
    logger->log(severity(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace plexus::hub::log
