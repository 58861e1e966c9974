// Where new ids come from. Time and randomness are given, so that a simulation can fix both.
#pragma once

#include "hub/clock.hpp"
#include "schema/uuid.hpp"

#include <functional>
#include <span>

namespace plexus::hub {

using Random = std::function<void(std::span<std::uint8_t>)>;

class Ids {
public:
    Ids(const Clock& clock, Random random) : clock_(clock), random_(std::move(random)) {}

    schema::Uuid next() {  // time-ordered: for everything that is stored
        std::uint64_t bits = 0;
        random_({reinterpret_cast<std::uint8_t*>(&bits), sizeof bits});
        return ordered_.next(clock_.milliseconds(), bits);
    }
    schema::Uuid secret() {  // cannot be guessed: for what only its receiver should know
        std::array<std::uint8_t, 16> bits;
        random_(bits);
        return schema::uuid_v4(bits);
    }

private:
    const Clock& clock_;
    Random random_;
    schema::UuidV7 ordered_;
};

}  // namespace plexus::hub
