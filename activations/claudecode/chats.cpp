// Chats and their streams: asking, stopping, reading.
#include "activations/claudecode/classic_view.hpp"
#include "activations/claudecode/claudecode.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <charconv>

namespace plexus::claudecode {

using arbor::ChainId;
using schema::Failure;

namespace {

constexpr std::int64_t read_ahead = 256;
constexpr std::uint32_t longest_poll_ms = 60'000, most_events = 1000;

// The prompt as the CLI's JSON: text, or blocks as the Messages API has them.
std::string prompt_text(const Json& prompt) {
    const bool blocks =
        prompt.is_array() && !prompt.empty() && std::ranges::all_of(prompt, [](const Json& block) {
            return block.is_object() && block.contains("type");
        });
    if (!(prompt.is_string() && !prompt.get_ref<const std::string&>().empty()) && !blocks)
        throw Failure(
            schema::invalid_params("/prompt must be a text or an array of content blocks with a type"));
    return schema::to_json_text(prompt);
}

std::optional<std::string> seen_as(const arbor::Event& event, View view) {
    if (view == View::granular) return event.payload;
    const auto old = classic_view(Json::parse(event.payload));
    return old ? std::optional(schema::to_json_text(*old)) : std::nullopt;
}

bool is_last(const arbor::Event& event) { return event.type == "complete" || event.type == "error"; }

// A failed turn ends its stream as the failure it is; its event was the datum.
[[noreturn]] void throw_told(const arbor::Event& event) {
    const auto json = Json::parse(event.payload);
    auto error = schema::failed(json.value("kind", "failed"), json.value("message", "The turn failed"), json);
    error.told = true;
    throw Failure(std::move(error));
}

Failure bad_cursor(const std::string& cursor, std::int64_t head) {
    return Failure({schema::Code::invalid_params, "invalid_cursor",
                    "Invalid params: /cursor " + cursor.substr(0, 80) +
                        " is no place in this stream, which has events 1 to " + std::to_string(head),
                    Json{{"cursor", cursor}, {"head", head}}});
}

}  // namespace

std::string cursor_text(Uuid stream, std::uint64_t seq) {
    return "c1." + schema::to_text(stream) + "." + std::to_string(seq);
}

awaitable<ChatStream> Claudecode::begin_chat(ChatParams& params) {
    if (options_.binary.empty()) throw Failure(schema::failed("spawn_failed", options_.binary_problem));
    const auto session = co_await find(params.name);
    ChatStream stream;
    stream.prompt = prompt_text(params.prompt);
    auto& queue = runner(session.id);
    if (queue.busy() && params.busy == Busy::reject)
        throw Failure(schema::failed("session_busy", "A chat is running in " + session.name,
                                     {{"session", session.name}}));
    stream.id = ids_.next();
    stream.session = session.id;
    stream.tree = session.tree;
    stream.prompt_uuid = schema::to_text(ids_.secret());
    stream.ephemeral = params.ephemeral;
    stream.started_at = clock_.seconds();
    if (params.allowed_tools) {
        require_tools(*params.allowed_tools, "allowed_tools");
        auto settings = session.settings;
        settings.allowed_tools = *params.allowed_tools;
        if (!(settings == session.settings)) {
            co_await storage_.write(
                [id = session.id, settings, now = clock_.seconds()](hub::Transaction& sql) {
                    SessionStore(sql).set_settings(id, settings, now);
                });
            co_await queue.reload();
        }
    }
    const auto running = params.busy == Busy::interrupt ? queue.running() : std::nullopt;
    stream = co_await storage_.write([stream](hub::Transaction& sql) {
        auto stored = stream;
        SessionStore(sql).add_stream(stored);
        return stored;
    });
    if (running) co_await queue.cancel(*running, ErrorKind::interrupted);
    queue.enqueue(stream);
    co_return stream;
}

awaitable<Started> Claudecode::chat_async(ChatParams params) {
    const auto stream = co_await begin_chat(params);
    co_return Started{stream.id, stream.session};
}

awaitable<void> Claudecode::chat(ChatParams params, hub::Sink<ChatEvent> out) {
    const auto stream = co_await begin_chat(params);
    const auto outcome = co_await hub::guarded(follow(stream, params.view.value_or(options_.view), out));
    if (outcome) co_return;
    if (outcome.error().reason == "cancelled" && params.on_disconnect == OnDisconnect::cancel)
        co_await runner(stream.session).cancel(stream.id, ErrorKind::cancelled);
    throw Failure(outcome.error());
}

// A chat that waits in line has no events yet, and no chain to wait for.
awaitable<void> Claudecode::wait_past(Uuid stream, arbor::Seq seq) {
    for (;;) {
        const auto count = beginnings_.count;
        const auto now = co_await wanted_stream(stream, {});
        if (now.root_node) co_return co_await streams_.wait_past(ChainId{stream}, seq);
        if (!is_open(now.status)) co_return;
        if (count == beginnings_.count) co_await beginnings_.changed.wait();
    }
}

awaitable<void> Claudecode::follow(ChatStream stream, View view, hub::Sink<ChatEvent> out) {
    const ChainId chain{stream.id};
    for (arbor::Seq seq = 0;;) {
        co_await wait_past(stream.id, seq);
        for (const auto& event : co_await streams_.read_after(chain, seq, read_ahead)) {
            seq = event->seq;
            if (auto text = seen_as(*event, view)) co_await out.send_text(std::move(*text));
            if (event->type == "error") throw_told(*event);
            if (event->type == "complete") co_return;
        }
    }
}

awaitable<Stopped> Claudecode::stop_stream(StopParams params, ErrorKind kind) {
    // By session: the one that runs, else the newest.
    if (!params.stream_id && params.name)
        params.stream_id = runner((co_await find(*params.name)).id).running();
    const auto stream = co_await wanted_stream(params.stream_id, params.name);
    if (!co_await runner(stream.session).cancel(stream.id, kind))
        throw Failure(schema::failed("conflict",
                                     "Stream " + schema::to_text(stream.id) + " has ended already",
                                     {{"stream_id", schema::to_text(stream.id)}}));
    co_return Stopped{stream.id};
}

awaitable<Stopped> Claudecode::cancel(StopParams params) {
    return stop_stream(std::move(params), ErrorKind::cancelled);
}
awaitable<Stopped> Claudecode::interrupt(StopParams params) {
    return stop_stream(std::move(params), ErrorKind::interrupted);
}

awaitable<ChatStream> Claudecode::wanted_stream(std::optional<Uuid> stream,
                                                std::optional<std::string> session) {
    if (!stream && !session) throw Failure(schema::invalid_params("missing field: stream_id (or session)"));
    return storage_.read([stream, session](hub::Transaction& sql) {
        SessionStore store(sql);
        if (stream) return store.stream(*stream);
        const auto found = store.get(*session);
        auto newest = store.newest_stream(found.id);
        if (!newest) throw Failure(schema::not_found("Session " + found.name + " has no chat yet"));
        return std::move(*newest);
    });
}

awaitable<arbor::Seq> Claudecode::cursor_seq(Uuid stream, std::string cursor) {
    const auto prefix = "c1." + schema::to_text(stream) + ".";
    const bool begun = (co_await wanted_stream(stream, {})).root_node.has_value();
    const auto head = begun ? co_await streams_.head(ChainId{stream}) : 0;
    std::int64_t seq = -1;
    if (cursor.starts_with(prefix)) {
        const auto* end = cursor.data() + cursor.size();
        if (std::from_chars(cursor.data() + prefix.size(), end, seq).ptr != end) seq = -1;
    } else if (const auto node = schema::parse_uuid(cursor)) {
        seq = co_await storage_.read([stream, id = *node](hub::Transaction& sql) {
            const auto row = arbor::ChainStore(sql).find_row(arbor::NodeId{id});
            return row && static_cast<const Uuid&>(row->chain.id) == stream ? row->seq : arbor::Seq(-1);
        });
    }
    if (seq < 0 || seq > head) throw bad_cursor(cursor, head);
    co_return seq;
}

awaitable<Polled> Claudecode::poll(PollParams params) {
    using namespace hub::asio::experimental::awaitable_operators;
    auto stream = co_await wanted_stream(params.stream_id, params.session);
    Polled result;
    result.stream_id = stream.id;
    arbor::Seq seq = static_cast<arbor::Seq>(params.from_seq.value_or(0));
    const ChainId chain{stream.id};
    const bool begun = stream.root_node.has_value();
    if (params.cursor) seq = co_await cursor_seq(stream.id, *params.cursor);
    const auto limit = std::clamp(params.limit, 1u, most_events);
    auto head = begun ? co_await streams_.head(chain) : 0;
    if (seq > head) throw bad_cursor(std::to_string(seq), head);
    if (head <= seq && is_open(stream.status) && params.wait_ms > 0) {
        const std::chrono::milliseconds patience(std::min(params.wait_ms, longest_poll_ms));
        co_await (wait_past(stream.id, seq) || clock_.sleep(patience));
        stream = co_await wanted_stream(stream.id, {});
        head = stream.root_node ? co_await streams_.head(chain) : 0;
    }
    const auto view = params.view.value_or(options_.view);
    if (head > seq)
        for (const auto& event : co_await streams_.read_after(chain, seq, limit)) {
            seq = event->seq;
            if (const auto text = seen_as(*event, view))
                result.events.push_back(
                    {static_cast<std::uint64_t>(event->seq), Json::parse(*text), event->created_at / 1000});
            if (is_last(*event)) stream = co_await wanted_stream(stream.id, {});
        }
    result.status = stream.status;
    result.read_position = static_cast<std::uint64_t>(seq);
    result.total_events = static_cast<std::uint64_t>(head);
    result.has_more = head > seq;
    result.cursor = cursor_text(stream.id, result.read_position);
    co_return result;
}

awaitable<void> Claudecode::subscribe(SubscribeParams params, hub::Sink<SubscribeEvent> out) {
    const auto stream = co_await wanted_stream(params.stream_id, params.session);
    const ChainId chain{stream.id};
    const auto view = params.view.value_or(options_.view);
    arbor::Seq seq = 0;
    if (params.cursor) seq = co_await cursor_seq(stream.id, *params.cursor);
    const SubscribeEvent continuous = Continuous{stream.id};
    co_await out.send(continuous);
    for (bool told = false;;) {
        const auto begun = (co_await wanted_stream(stream.id, {})).root_node.has_value();
        const auto head = begun ? co_await streams_.head(chain) : 0;
        if (!told && seq >= head) {
            const SubscribeEvent caught_up =
                CaughtUp{cursor_text(stream.id, static_cast<std::uint64_t>(seq))};
            co_await out.send(caught_up);
            told = true;
            const auto now = co_await wanted_stream(stream.id, {});
            if (!is_open(now.status) && (!now.root_node || co_await streams_.head(chain) <= seq)) co_return;
        }
        if (seq >= head) co_await wait_past(stream.id, seq);
        for (const auto& event : co_await streams_.read_after(chain, seq, read_ahead)) {
            seq = event->seq;
            if (const auto text = seen_as(*event, view)) {
                const auto number = static_cast<std::uint64_t>(seq);
                const SubscribeEvent item =
                    StreamEventItem{stream.id, number, Json::parse(*text), event->created_at / 1000,
                                    cursor_text(stream.id, number)};
                co_await out.send(item);
            }
            if (is_last(*event)) co_return;
        }
    }
}

awaitable<StreamList> Claudecode::list_streams(StreamsParams params) {
    std::optional<Uuid> session;
    if (params.session_id) session = (co_await find(*params.session_id)).id;
    const auto limit = std::clamp(params.limit, 1u, most_events);
    const auto streams = co_await storage_.read(
        [session, limit](hub::Transaction& sql) { return SessionStore(sql).streams(session, limit); });
    StreamList result;
    for (const auto& stream : streams) {
        StreamInfo info{stream.id, stream.session,    stream.status,   {},          0,
                        0,         stream.started_at, stream.ended_at, stream.error};
        if (stream.root_node) {
            info.user_position = Position{schema::to_text(stream.tree), schema::to_text(*stream.root_node)};
            info.event_count = static_cast<std::uint64_t>(co_await streams_.head(ChainId{stream.id}));
        }
        result.streams.push_back(std::move(info));
    }
    co_return result;
}

}  // namespace plexus::claudecode
