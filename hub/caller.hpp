// Who is calling and what they may do. Made by the gate from a credential; nothing a client says changes it.
#pragma once

#include "schema/codec.hpp"

#include <optional>
#include <string>

namespace plexus::hub {

// Declared per method. `open` needs no credential; `agent` is what a tool-running child process may use.
enum class Scope { open, agent, read, chat, approve, admin };
DESCRIBE_ENUM(Scope, open, agent, read, chat, approve, admin)

class Scopes {
public:
    constexpr Scopes() = default;
    constexpr Scopes(std::initializer_list<Scope> list) {
        for (const auto scope : list) bits_ |= bit(scope);
    }
    static constexpr Scopes all() { return {Scope::read, Scope::chat, Scope::approve, Scope::admin}; }
    constexpr bool allow(Scope scope) const { return scope == Scope::open || (bits_ & bit(scope)) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr void add(Scope scope) { bits_ |= bit(scope); }
    bool operator==(const Scopes&) const = default;

private:
    static constexpr unsigned bit(Scope scope) { return 1u << static_cast<unsigned>(scope); }
    unsigned bits_ = 0;
};

struct Caller {
    std::string name = "nobody";  // of the credential: "token", "uid 1000", "ci-reader"
    std::string peer;             // where from: "127.0.0.1:51834", "unix pid 4711"
    Scopes scopes;
    std::optional<int> pid;
    std::string credential = {};  // digest of the token shown; empty when none was
};

}  // namespace plexus::hub
