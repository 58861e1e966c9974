// Writes what the accumulator asks for: nodes, blobs and events of one CLI process, each batch in one
// transaction, so that whatever is seen is stored and whatever is stored fits together. Owned by the
// session's runner; loop thread.
#pragma once

#include "activations/arbor/arbor.hpp"
#include "activations/claudecode/accumulator.hpp"
#include "activations/claudecode/blob_store.hpp"
#include "activations/claudecode/session_store.hpp"
#include "hub/clock.hpp"
#include "hub/ids.hpp"
#include "hub/storage.hpp"

#include <map>

namespace plexus::claudecode {

// Told whenever a stream got its first event: until then it has no chain to wait for.
struct Beginnings {
    explicit Beginnings(hub::asio::any_io_executor executor) : changed(executor) {}
    void notify() {
        ++count;
        changed.notify();
    }
    std::uint64_t count = 0;
    hub::Signal changed;
};

struct MirrorParts {
    hub::Storage& storage;
    arbor::Streams& streams;
    hub::Ids& ids;
    const hub::Clock& clock;
    Beginnings& beginnings;
    hub::PluginId plugin{};
};

using hub::awaitable;

class Mirror {
public:
    Mirror(const MirrorParts& parts, Session session);

    // The chat whose prompt is given to the accumulator next; its events go to this stream.
    void expect(ChatStream stream, std::string process);
    // For a chat that never began: what it says is kept, but the session does not go on from there.
    void keep_head() { keeps_head_ = true; }
    // Returns when all of it is durable and told to readers.
    awaitable<void> apply(std::vector<Effect> effects);
    // An event that is not the CLI's: approvals.
    awaitable<void> tell(Key turn, ChatEvent event, StreamStatus status);

    const Session& session() const { return session_; }
    std::optional<Uuid> stream_of(Key turn) const;
    bool is_open(Uuid stream) const;

private:
    // One transaction's worth, as values: the work that writes it may run twice.
    struct Draft;
    struct Turn {
        ChatStream stream;
        Uuid node{};
        std::optional<Uuid> user;
        std::int64_t index = 0;
        bool chained = false;
        bool sub_agent = false;
        bool open = true;
    };
    struct Place {
        Uuid node{}, blob{};
        Key turn = no_key;
        std::string method;
    };

    void draft(Draft& draft, const OpenTurn& effect);
    void draft(Draft& draft, const AddMessage& effect);
    void draft(Draft& draft, const AddBlock& effect);
    void draft(Draft& draft, const UpdateMessage& effect);
    void draft(Draft& draft, const AddPassthrough& effect);
    void draft(Draft& draft, const Emit& effect);
    void draft(Draft& draft, const EndTurn& effect);
    void draft(Draft&, const SessionSeen&) {}
    void draft(Draft&, const PromptAcknowledged&) {}
    void draft(Draft&, const PermissionAsked&) {}
    void draft(Draft&, const HostAsked&) {}
    void draft(Draft&, const RequestWithdrawn&) {}
    void draft(Draft&, const ControlAnswered&) {}
    void draft(Draft&, const Retracted&) {}

    Turn* turn_for(Key key);
    void ensure_chain(Draft& draft, Turn& turn);
    void add_event(Draft& draft, Turn& turn, const ChatEvent& event);
    void add_node(Draft& draft, const Place& place, std::optional<Uuid> parent, std::vector<std::string> meta,
                  std::optional<Uuid> after, bool leaf, Json metadata, std::string search_text);
    Position position(Uuid node) const;
    awaitable<void> write(Draft draft);

    MirrorParts parts_;
    Session session_;
    bool keeps_head_ = false;
    std::optional<ChatStream> expected_;
    std::string process_;
    std::map<Key, Turn> turns_;
    std::map<Key, Place> places_;
    std::map<Key, Json> messages_;  // data of message blobs that may still change
    std::int64_t next_turn_ = -1;   // index of the next turn; -1: ask the store
};

// How a stream ends that ended like this.
StreamStatus status_of(const Outcome& outcome);

}  // namespace plexus::claudecode
