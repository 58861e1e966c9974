#include "daemon/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace plexus::process {

namespace {

using namespace std::literals;

constexpr std::string_view passed[] = {
    // who and where the user is
    "HOME", "PATH", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL",
    // how the network is reached
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "all_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
    // which account and model answer
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_BETAS",
    "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
    // how the CLI behaves
    "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_MAX_RETRIES", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
    "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING", "DISABLE_TELEMETRY"};
constexpr std::string_view passed_families[] = {"LC_", "XDG_"};

bool passes(std::string_view name) {
    return std::ranges::find(passed, name) != std::end(passed) ||
           std::ranges::any_of(passed_families, [&](auto family) { return name.starts_with(family); });
}

bool never(std::string_view name) { return name == "CLAUDECODE" || name.starts_with("PLEXUS_"); }

}  // namespace

hub::Environment own_environment() {
    hub::Environment own;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (equals != text.npos) own.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return own;
}

hub::Environment agent_environment(const hub::Environment& own, const hub::Environment& additions) {
    hub::Environment result;
    for (const auto& [name, value] : own) {
        if (passes(name)) result.emplace(name, value);
    }
    for (const auto& [name, value] : additions) result.insert_or_assign(name, value);
    std::erase_if(result, [](const auto& entry) { return never(entry.first); });
    return result;
}

}  // namespace plexus::process
