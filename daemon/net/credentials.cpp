#include "daemon/net/credentials.hpp"

#include "schema/rpc.hpp"
#include "schema/sha256.hpp"

#include <openssl/crypto.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace plexus::net {

namespace fs = std::filesystem;
using hub::Caller;
using hub::Scope;
using schema::Failure;
using schema::Json;
using schema::sha256;

namespace {

constexpr auto ticket_life = std::chrono::seconds(30);
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct NamedToken {
    std::string name, sha256;
    std::vector<Scope> scopes;
};
DESCRIBE(NamedToken, (name, "For the audit"), (sha256, "base64url of the token's hash"),
         (scopes, "What it may do"))

// A reader never sees half a file, and a crash leaves the old one or the new one.
void write_private(const fs::path& path, std::string_view text) {
    const auto draft = path.string() + ".new";
    const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool written = fd >= 0 && ::fchmod(fd, 0600) == 0 &&
                         ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    std::error_code error;
    if (written) fs::rename(draft, path, error);
    if (!written || error)
        throw Failure(schema::failed("storage_error", "Cannot write " + path.string() + ": " +
                                                          std::generic_category().message(errno)));
    const int directory = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) ::fsync(directory), ::close(directory);
}

std::string read_private(const fs::path& path) {
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0) return {};
    if ((facts.st_mode & 077) != 0)
        throw Failure(schema::failed(
            "insecure_file", path.string() + " can be read by other users; run: chmod 600 " + path.string()));
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string new_token(const hub::Random& random) {
    std::string bytes(32, '\0');
    random({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return "plx_" + base64url(bytes);
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    return text;
}

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::vector<NamedToken> read_named(const fs::path& path) {
    const auto text = read_private(path);
    if (text.empty()) return {};
    return schema::decode<std::vector<NamedToken>>(schema::parse_json(text).value(), schema::Unknown::refused)
        .value();
}

fs::file_time_type time_of(const fs::path& path) {
    std::error_code none;
    return fs::last_write_time(path, none);
}

}  // namespace

std::string base64url(std::string_view bytes) {
    std::string text;
    unsigned bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) text += alphabet[(bits >> (held - 6)) & 63];
    }
    if (held > 0) text += alphabet[(bits << (6 - held)) & 63];
    return text;
}

std::optional<std::string> base64url_decoded(std::string_view text) {
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const char c : text) {
        const auto value = alphabet.find(c);
        if (value == alphabet.npos) return std::nullopt;
        bits = (bits << 6) | static_cast<unsigned>(value);
        if ((held += 6) >= 8) bytes += static_cast<char>((bits >> (held -= 8)) & 255);
    }
    return bytes;
}

Credentials::Credentials(fs::path directory, const hub::Clock& clock, hub::Random random)
    : token_file_(directory / "token"),
      named_file_(directory / "tokens.json"),
      clock_(clock),
      random_(std::move(random)) {
    if (!fs::exists(token_file_)) write_private(token_file_, new_token(random_) + "\n");
    load();
}

void Credentials::load() {
    ++generation_;
    token_time_ = time_of(token_file_);
    named_time_ = time_of(named_file_);
    const auto token = trimmed(read_private(token_file_));
    if (token.size() < 32)
        throw Failure(schema::failed(
            "insecure_file", token_file_.string() + " holds no token; remove it and a new one is made"));
    known_ = {{sha256(token), {"token", {}, hub::Scopes::all(), {}}}};
    for (const auto& named : read_named(named_file_)) {
        Caller caller{named.name, {}, {}, {}};
        for (const auto scope : named.scopes)
            if (scope != Scope::agent && scope != Scope::open) caller.scopes.add(scope);
        known_.push_back({base64url_decoded(named.sha256).value_or(""), caller});
    }
}

void Credentials::refresh() {
    if (time_of(token_file_) != token_time_ || time_of(named_file_) != named_time_) load();
}

std::uint64_t Credentials::generation() {
    refresh();
    return generation_;
}

bool Credentials::knows(const std::string& digest) const {
    return std::ranges::any_of(known_, [&](const auto& known) { return same(known.digest, digest); });
}

std::optional<Caller> Credentials::check(std::string_view token) {
    refresh();
    const auto digest = sha256(token);
    std::optional<Caller> found;
    for (const auto& known : known_)  // all of them, so that the time taken tells nothing
        if (same(known.digest, digest)) found = known.caller;
    if (found) found->credential = digest;
    return found;
}

std::string Credentials::issue_ticket(const Caller& caller) {
    std::erase_if(tickets_, [&](const auto& entry) { return entry.second.until < clock_.steady(); });
    const auto ticket = new_token(random_);
    tickets_.emplace(sha256(ticket), Ticket{caller, clock_.steady() + ticket_life});
    return ticket;
}

std::optional<Caller> Credentials::redeem(const std::string& ticket) {
    const auto found = tickets_.extract(sha256(ticket));  // once only, whatever comes of it
    if (found.empty() || found.mapped().until < clock_.steady()) return std::nullopt;
    return found.mapped().caller;
}

std::string rotate_token(const fs::path& directory, const hub::Random& random) {
    const auto token = new_token(random);
    write_private(directory / "token", token + "\n");
    return token;
}

std::string add_named_token(const fs::path& directory, const std::string& name,
                            const std::vector<std::string>& scopes, const hub::Random& random) {
    const auto path = directory / "tokens.json";
    auto list = read_named(path);
    std::erase_if(list, [&](const auto& known) { return known.name == name; });
    const auto token = new_token(random);
    auto wanted = schema::decode<std::vector<Scope>>(Json(scopes)).value();
    if (!wanted.empty()) list.push_back({name, base64url(sha256(token)), std::move(wanted)});
    write_private(path, schema::encode(list).dump(2) + "\n");
    return token;
}

}  // namespace plexus::net
