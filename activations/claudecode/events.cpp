#include "activations/claudecode/events.hpp"

namespace plexus::claudecode {

std::string_view event_type(const ChatEvent& event) {
    return std::visit([]<class T>(const T&) { return T::tag; }, event);
}

void set_position(ChatEvent& event, const Position& position) {
    std::visit(
        [&](auto& e) {
            if constexpr (requires { e.turn_position; }) e.turn_position = position;
            else if constexpr (requires { e.new_head; }) e.new_head = position;
            else if constexpr (requires { e.position; }) e.position = position;
        },
        event);
}

}  // namespace plexus::claudecode
