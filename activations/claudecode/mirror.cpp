#include "activations/claudecode/mirror.hpp"

#include "schema/rpc.hpp"

namespace plexus::claudecode {

using arbor::ChainId;
using arbor::NodeId;
using arbor::TreeId;

struct Mirror::Draft {
    struct Events {
        Uuid chain{};
        std::vector<arbor::Event> events;
    };
    struct Ended {
        Uuid stream{};
        StreamStatus status{};
        std::optional<std::string> error;
    };
    struct Advance {
        Uuid head{};
        std::string claude_session_id;
        std::optional<Uuid> last_message;  // whose blob gets the turn's usage
        ChatUsage usage;
    };

    Uuid session{}, tree{};
    std::int64_t now = 0;
    std::vector<arbor::NewNode> nodes;
    std::vector<arbor::NewChain> chains;
    std::vector<StoredBlob> blobs;
    std::vector<std::pair<Uuid, std::string>> updates;  // blob, data
    std::vector<ChatStream> new_streams;
    std::vector<std::tuple<Uuid, Uuid, std::string>> started;  // stream, root node, process
    std::vector<std::pair<Uuid, StreamStatus>> statuses;
    std::vector<Ended> ended;
    std::vector<Advance> advances;
    std::vector<Events> events;

    bool empty() const {
        return nodes.empty() && blobs.empty() && updates.empty() && events.empty() && ended.empty() &&
               statuses.empty() && new_streams.empty();
    }

    // The number of the first event of each entry of `events`.
    std::vector<arbor::Seq> run(hub::Transaction& sql) const {
        for (const auto& node : nodes) arbor::NodeStore(sql).create(TreeId{tree}, node, now);
        BlobStore blob_store(sql);
        for (const auto& blob : blobs) blob_store.add(blob);
        for (const auto& [id, data] : updates) blob_store.set_data(id, data);
        SessionStore sessions(sql);
        for (auto stream : new_streams) sessions.add_stream(stream);
        for (const auto& chain : chains) arbor::ChainStore(sql).create(chain, now);
        for (const auto& [stream, root, process] : started) sessions.start_stream(stream, root, process);
        for (const auto& [stream, status] : statuses) sessions.set_status(stream, status);
        std::vector<arbor::Seq> firsts;
        for (const auto& [chain, list] : events)
            firsts.push_back(arbor::ChainStore(sql).append(ChainId{chain}, list));
        for (const auto& end : ended) sessions.end_stream(end.stream, end.status, end.error, now);
        for (const auto& advance : advances) {
            sessions.advance(session, advance.head, advance.claude_session_id, now);
            if (advance.last_message) blob_store.set_usage(*advance.last_message, advance.usage);
        }
        return firsts;
    }
};

namespace {

Json message_data(const AddMessage& effect) {
    Json data = {{"role", effect.role}};
    if (!effect.message_id.empty()) data["message_id"] = effect.message_id;
    if (!effect.model.empty()) data["model"] = effect.model;
    if (!effect.content.empty()) data["content"] = Json::parse(effect.content, nullptr, false);
    if (effect.synthetic) data["synthetic"] = true;
    return data;
}

std::optional<std::string> given(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// What a search finds a block by: its words, not its JSON.
std::string words_of(const std::string& data) {
    const auto json = Json::parse(data, nullptr, false);
    if (!json.is_object()) return {};
    for (const auto* key : {"text", "thinking", "content"})
        if (const auto found = json.find(key); found != json.end() && found->is_string())
            return found->get<std::string>();
    return {};
}

}  // namespace

StreamStatus status_of(const Outcome& outcome) {
    if (!outcome) return StreamStatus::complete;
    if (outcome->kind == ErrorKind::interrupted) return StreamStatus::interrupted;
    if (outcome->kind == ErrorKind::cancelled) return StreamStatus::cancelled;
    return StreamStatus::failed;
}

Mirror::Mirror(const MirrorParts& parts, Session session) : parts_(parts), session_(std::move(session)) {}

void Mirror::expect(ChatStream stream, std::string process) {
    expected_ = std::move(stream);
    process_ = std::move(process);
}

std::optional<Uuid> Mirror::stream_of(Key turn) const {
    const auto found = turns_.find(turn);
    return found == turns_.end() ? std::nullopt : std::optional(found->second.stream.id);
}

bool Mirror::is_open(Uuid stream) const {
    return std::ranges::any_of(
        turns_, [&](const auto& turn) { return turn.second.open && turn.second.stream.id == stream; });
}

awaitable<void> Mirror::apply(std::vector<Effect> effects) {
    if (next_turn_ < 0)
        next_turn_ =
            co_await parts_.storage.read([tree = session_.tree, head = session_.head](hub::Transaction& sql) {
                // The head is a message; its parent is the turn it belongs to.
                arbor::NodeStore nodes(sql);
                const auto head_node = nodes.get(arbor::TreeStore(sql).get(TreeId{tree}), NodeId{head});
                if (!head_node.parent) return std::int64_t(0);
                const auto turn = nodes.load(*head_node.parent);
                return turn.handle.method == "turn"
                           ? static_cast<std::int64_t>(std::stoll(turn.handle.meta.at(0)) + 1)
                           : std::int64_t(0);
            });
    Draft all;
    all.session = session_.id;
    all.tree = session_.tree;
    all.now = parts_.clock.seconds();
    for (const auto& effect : effects) std::visit([&](const auto& one) { draft(all, one); }, effect);
    co_await write(std::move(all));
}

awaitable<void> Mirror::tell(Key turn, ChatEvent event, StreamStatus status) {
    auto* found = turn_for(turn);
    if (!found || !found->open) co_return;
    Draft one;
    one.session = session_.id;
    one.tree = session_.tree;
    one.now = parts_.clock.seconds();
    ensure_chain(one, *found);
    add_event(one, *found, event);
    one.statuses.emplace_back(found->stream.id, status);
    co_await write(std::move(one));
}

awaitable<void> Mirror::write(Draft draft) {
    if (draft.empty()) co_return;
    const auto room = draft.ended.empty() ? hub::Room::ordinary : hub::Room::reserve;
    auto events = draft.events;
    std::vector<Uuid> ended;
    for (const auto& end : draft.ended) ended.push_back(end.stream);
    const bool began = !draft.started.empty();
    const auto firsts = co_await parts_.storage.write(
        [draft = std::move(draft)](hub::Transaction& sql) { return draft.run(sql); }, room);
    for (std::size_t i = 0; i < events.size(); ++i)
        parts_.streams.published(ChainId{events[i].chain}, firsts[i], std::move(events[i].events));
    if (began) parts_.beginnings.notify();
    for (const auto stream : ended) parts_.streams.retire(ChainId{stream});
}

Position Mirror::position(Uuid node) const { return {schema::to_text(session_.tree), schema::to_text(node)}; }

Mirror::Turn* Mirror::turn_for(Key key) {
    const auto found = turns_.find(key);
    return found == turns_.end() ? nullptr : &found->second;
}

void Mirror::add_node(Draft& draft, const Place& place, std::optional<Uuid> parent,
                      std::vector<std::string> meta, std::optional<Uuid> after, bool leaf, Json metadata,
                      std::string search_text) {
    arbor::NewNode node;
    node.id = NodeId{place.node};
    if (parent) node.parent = NodeId{*parent};
    node.data = hub::Handle{parts_.plugin, "1.0.0", place.method, std::move(meta), nullptr};
    if (!metadata.empty()) node.metadata = std::move(metadata);
    if (after) node.after = NodeId{*after};
    node.leaf = leaf;
    const auto* turn = turn_for(place.turn);
    node.ephemeral = turn && turn->stream.ephemeral;
    node.search_text = std::move(search_text);
    draft.nodes.push_back(std::move(node));
}

void Mirror::draft(Draft& draft, const OpenTurn& effect) {
    Turn turn;
    turn.node = parts_.ids.next();
    auto parent = session_.head;
    if (effect.origin == TurnOrigin::sub_agent) {
        turn.sub_agent = true;
        turn.open = false;  // its stream is the one of the turn it works for
        if (const auto use = places_.find(effect.parent); use != places_.end()) {
            parent = use->second.node;
            turn.stream = turns_.at(use->second.turn).stream;
        }
    } else {
        turn.index = next_turn_++;
        if (effect.origin == TurnOrigin::prompt && expected_) {
            turn.stream = *std::exchange(expected_, std::nullopt);
        } else {
            turn.stream.id = parts_.ids.next();
            turn.stream.session = session_.id;
            turn.stream.tree = session_.tree;
            turn.stream.status = StreamStatus::running;
            turn.stream.prompt = "null";
            turn.stream.started_at = draft.now;
            draft.new_streams.push_back(turn.stream);
        }
    }
    const Place place{turn.node, {}, effect.turn, "turn"};
    turns_.emplace(effect.turn, turn);
    places_.emplace(effect.turn, place);
    add_node(draft, place, parent, {std::to_string(turn.index)}, std::nullopt, false, effect.metadata, {});
}

void Mirror::draft(Draft& draft, const AddMessage& effect) {
    auto& turn = turns_.at(effect.turn);
    const Place place{parts_.ids.next(), parts_.ids.next(), effect.turn, "message"};
    places_.emplace(effect.node, place);
    auto data = message_data(effect);
    Json metadata = Json::object();
    if (!effect.cli_uuid.empty()) metadata["cli_uuid"] = effect.cli_uuid;
    add_node(
        draft, place, turn.node, {schema::to_text(place.blob), effect.role}, std::nullopt, false,
        std::move(metadata),
        data.contains("content") && data["content"].is_string() ? data["content"].get<std::string>() : "");
    draft.blobs.push_back({place.blob,
                           "message",
                           place.node,
                           schema::to_json_text(data),
                           {},
                           given(effect.cli_uuid),
                           {},
                           {},
                           {},
                           draft.now});
    messages_[effect.node] = std::move(data);
    if (effect.role == "user" && !turn.user && !turn.sub_agent) turn.user = place.node;
}

void Mirror::draft(Draft& draft, const AddBlock& effect) {
    const auto message = places_.find(effect.message);
    const auto turn = places_.find(effect.turn);
    const auto parent = message != places_.end() ? message->second.node
                        : turn != places_.end()  ? turn->second.node
                                                 : session_.head;
    const Place place{parts_.ids.next(), parts_.ids.next(), effect.turn, effect.method};
    places_.emplace(effect.node, place);
    std::vector<std::string> meta{schema::to_text(place.blob)};
    meta.insert(meta.end(), effect.meta.begin(), effect.meta.end());
    Json metadata = Json::object();
    if (!effect.cli_uuid.empty()) metadata["cli_uuid"] = effect.cli_uuid;
    if (effect.aborted) metadata["aborted"] = true;
    const auto behind = places_.find(effect.after);
    add_node(draft, place, parent, std::move(meta),
             behind == places_.end() ? std::nullopt : std::optional(behind->second.node), true,
             std::move(metadata), words_of(effect.data));
    draft.blobs.push_back({place.blob,
                           effect.method,
                           place.node,
                           effect.data,
                           given(effect.details),
                           given(effect.cli_uuid),
                           {},
                           {},
                           {},
                           draft.now});
}

void Mirror::draft(Draft& draft, const UpdateMessage& effect) {
    const auto place = places_.find(effect.message);
    const auto data = messages_.find(effect.message);
    if (place == places_.end() || data == messages_.end()) return;
    if (!effect.stop_reason.empty()) data->second["stop_reason"] = effect.stop_reason;
    if (!effect.usage.empty()) data->second["usage"] = Json::parse(effect.usage, nullptr, false);
    draft.updates.emplace_back(place->second.blob, schema::to_json_text(data->second));
}

void Mirror::draft(Draft& draft, const AddPassthrough& effect) {
    const auto turn = places_.find(effect.turn);
    const Place place{parts_.ids.next(), parts_.ids.next(), effect.turn, "passthrough"};
    places_.emplace(effect.node, place);
    add_node(draft, place, turn == places_.end() ? session_.head : turn->second.node,
             {schema::to_text(place.blob), effect.event_type}, std::nullopt, true, Json::object(), {});
    draft.blobs.push_back({place.blob,
                           "passthrough",
                           place.node,
                           effect.data,
                           {},
                           given(effect.cli_uuid),
                           {},
                           {},
                           {},
                           draft.now});
}

void Mirror::ensure_chain(Draft& draft, Turn& turn) {
    if (turn.chained) return;
    turn.chained = true;
    const auto root = turn.user.value_or(turn.node);
    arbor::NewChain chain;
    chain.id = ChainId{turn.stream.id};
    chain.tree = TreeId{session_.tree};
    chain.node = NodeId{root};
    chain.plugin = parts_.plugin;
    draft.chains.push_back(std::move(chain));
    draft.started.emplace_back(turn.stream.id, root, process_);
}

void Mirror::add_event(Draft& draft, Turn& turn, const ChatEvent& event) {
    if (draft.events.empty() || draft.events.back().chain != turn.stream.id)
        draft.events.push_back({turn.stream.id, {}});
    arbor::Event row;
    row.id = NodeId{parts_.ids.next()};
    row.type = event_type(event);
    row.created_at = parts_.clock.milliseconds();
    row.payload = schema::to_json_text(schema::encode(event));
    draft.events.back().events.push_back(std::move(row));
}

void Mirror::draft(Draft& draft, const Emit& effect) {
    auto* turn = turn_for(effect.turn);
    if (!turn) return;
    auto event = effect.event;
    if (const auto place = places_.find(effect.position); place != places_.end()) {
        set_position(event, position(place->second.node));
        if (auto* passed = std::get_if<PassthroughEvent>(&event))
            passed->handle = hub::Handle{parts_.plugin,
                                         "1.0.0",
                                         "passthrough",
                                         {schema::to_text(place->second.blob), passed->event_type},
                                         nullptr}
                                 .text();
    }
    if (auto* start = std::get_if<StartEvent>(&event)) {
        start->id = schema::to_text(session_.id);
        start->stream_id = schema::to_text(turn->stream.id);
        if (const auto user = places_.find(effect.user_position); user != places_.end())
            start->user_position = position(user->second.node);
    }
    ensure_chain(draft, *turn);
    add_event(draft, *turn, event);
}

void Mirror::draft(Draft& draft, const EndTurn& effect) {
    auto* turn = turn_for(effect.turn);
    if (!turn || turn->sub_agent) return;
    turn->open = false;
    const auto head = places_.find(effect.head);
    const auto outcome = effect.outcome ? std::optional(effect.outcome->message) : std::nullopt;
    draft.ended.push_back({turn->stream.id, status_of(effect.outcome), outcome});
    if (turn->stream.ephemeral || keeps_head_ || head == places_.end()) return;
    draft.advances.push_back({head->second.node, effect.claude_session_id, head->second.blob, effect.usage});
    session_.head = head->second.node;
    session_.cli_head = head->second.node;
    session_.claude_session_id = effect.claude_session_id;
}

}  // namespace plexus::claudecode
