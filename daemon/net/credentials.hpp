// Tokens and tickets. The install's own token may do everything; named tokens carry scopes; a ticket is good
// once, for thirty seconds, and carries what its maker had. Only hashes are kept in memory.
#pragma once

#include "hub/caller.hpp"
#include "hub/clock.hpp"
#include "hub/ids.hpp"
#include "hub/tickets.hpp"

#include <filesystem>
#include <map>

namespace plexus::net {

std::optional<std::string> base64url_decoded(std::string_view text);
std::string base64url(std::string_view bytes);

class Credentials : public hub::Tickets {
public:
    // Makes the token file on first use (0600, complete or absent). Throws Failure when it is readable by
    // others.
    Credentials(std::filesystem::path directory, const hub::Clock& clock, hub::Random random);

    std::optional<hub::Caller> check(std::string_view token);
    // Counts how often the files were read; looks at them first.
    std::uint64_t generation();
    bool knows(const std::string& digest) const;
    std::string issue_ticket(const hub::Caller& caller) override;
    std::optional<hub::Caller> redeem(const std::string& ticket);
    const std::filesystem::path& token_file() const { return token_file_; }

private:
    struct Known {
        std::string digest;
        hub::Caller caller;
    };
    struct Ticket {
        hub::Caller caller;
        std::chrono::steady_clock::time_point until;
    };
    void load();
    void refresh();

    std::filesystem::path token_file_, named_file_;
    const hub::Clock& clock_;
    hub::Random random_;
    std::vector<Known> known_;
    std::uint64_t generation_ = 0;
    std::map<std::string, Ticket> tickets_;  // by digest
    std::filesystem::file_time_type token_time_, named_time_;
};

// For `plexusd token …`: both write complete files or nothing.
std::string rotate_token(const std::filesystem::path& directory, const hub::Random& random);
std::string add_named_token(const std::filesystem::path& directory, const std::string& name,
                            const std::vector<std::string>& scopes, const hub::Random& random);

}  // namespace plexus::net
