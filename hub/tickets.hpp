// A ticket lets its bearer in once, soon, with what its maker may do. For pages and links, where a
// long-lived token must not appear.
#pragma once

#include "hub/caller.hpp"

namespace plexus::hub {

class Tickets {
public:
    virtual ~Tickets() = default;
    virtual std::string issue_ticket(const Caller& caller) = 0;
};

}  // namespace plexus::hub
