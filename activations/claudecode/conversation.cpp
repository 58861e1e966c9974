// Reading a conversation back: context, blocks, branches, handles.
#include "activations/claudecode/claudecode.hpp"
#include "activations/claudecode/context.hpp"

#include <algorithm>

namespace plexus::claudecode {

using arbor::NodeId;
using arbor::TreeId;
using schema::Failure;

namespace {

std::optional<std::string> text_in(const Json& data, const char* key) {
    const auto found = data.find(key);
    return found != data.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                     : std::nullopt;
}

std::vector<Json> content_of(const ContextMessage& message) {
    std::vector<Json> content;
    if (const auto given = message.data.find("content"); given != message.data.end()) {
        if (given->is_array()) content.assign(given->begin(), given->end());
        else content.push_back({{"type", "text"}, {"text", *given}});
    }
    for (const auto& block : message.blocks) content.push_back(Json::parse(block.data));
    return content;
}

Failure dangling(const hub::Handle& handle) {
    return Failure(schema::failed("dangling_handle", "There is nothing behind " + handle.text(),
                                  {{"handle", handle.text()}}));
}

Json resolved_message(hub::Transaction& sql, const StoredBlob& blob) {
    auto json = Json::parse(blob.data);
    json["type"] = "message";
    json["id"] = schema::to_text(blob.id);
    if (blob.cli_uuid) json["cli_uuid"] = *blob.cli_uuid;
    json["blocks"] = Json::array();
    static const hub::Statement node("message_node", "SELECT key FROM nodes WHERE id = $1");
    auto rows = sql.query(node, blob.node);
    if (!rows.next()) return json;
    for (const auto& child : arbor::NodeStore(sql).load_children(rows->integer(0), true))
        if (child.kind == arbor::Kind::external && child.handle.method != "turn" &&
            !child.handle.meta.empty())
            json["blocks"].push_back(child.handle.meta[0]);
    return json;
}

}  // namespace

awaitable<Rendered> Claudecode::render_context(RenderParams params) {
    const auto session = co_await find(std::move(params.name));
    auto context =
        co_await storage_.read([tree = session.tree, end = params.end.value_or(session.head)](
                                   hub::Transaction& sql) { return read_context(sql, tree, end); });
    if (params.start) {
        const auto first = std::ranges::find(context, *params.start, &ContextMessage::node);
        if (first == context.end())
            throw Failure(schema::not_found("Message " + schema::to_text(*params.start) +
                                            " is not on the way to the end"));
        context.erase(context.begin(), first);
    }
    const auto messages = as_api_messages(context);
    co_return Rendered{std::vector<Json>(messages.begin(), messages.end())};
}

awaitable<void> Claudecode::get_conversation(NameParams params, hub::Sink<ConversationEvent> out) {
    const auto session = co_await find(std::move(params.name));
    const auto context =
        co_await storage_.read([tree = session.tree, head = session.head](hub::Transaction& sql) {
            return read_context(sql, tree, head);
        });
    for (const auto& message : context) {
        ConversationMessage item;
        item.position = {schema::to_text(session.tree), schema::to_text(message.node)};
        item.role = message.role;
        item.model = text_in(message.data, "model");
        item.stop_reason = text_in(message.data, "stop_reason");
        if (!message.cli_uuid.empty()) item.cli_uuid = message.cli_uuid;
        if (message.data.contains("usage")) item.usage = message.data["usage"];
        item.content = content_of(message);
        const ConversationEvent event = std::move(item);
        co_await out.send(event);
    }
    const ConversationEvent end = ConversationEnd{session.position(), context.size()};
    co_await out.send(end);
}

awaitable<Block> Claudecode::get_block(BlockParams params) {
    const auto blob = co_await storage_.read(
        [id = params.blob_id](hub::Transaction& sql) { return BlobStore(sql).find(id); });
    if (!blob) throw Failure(schema::not_found("There is no blob " + schema::to_text(params.blob_id)));
    Block block{blob->id,       blob->node,      blob->type,       Json::parse(blob->data), {},
                blob->cli_uuid, blob->tokens_in, blob->tokens_out, blob->cost_usd};
    if (blob->details) block.details = Json::parse(*blob->details);
    co_return block;
}

awaitable<BranchList> Claudecode::list_branches(BranchesParams params) {
    const auto session = co_await find(std::move(params.name));
    co_return co_await storage_.read([session, node = params.node_id](hub::Transaction& sql) {
        arbor::NodeStore nodes(sql);
        const auto tree = arbor::TreeStore(sql).get(TreeId{session.tree});
        const auto from = node ? nodes.get(tree, NodeId{*node}) : nodes.by_key(tree.root);
        const auto sessions = SessionStore(sql).list();
        BranchList list;
        for (const auto& turn : nodes.load_children(from.key)) {
            if (turn.kind != arbor::Kind::external || turn.handle.method != "turn") continue;
            Branch branch{turn.id, turn.id, std::stoll(turn.handle.meta.at(0)), {}};
            for (const auto& message : nodes.load_children(turn.key)) {
                if (message.kind != arbor::Kind::external || message.handle.method != "message") continue;
                branch.head = message.id;
                for (const auto& other : sessions)
                    if (other.head == static_cast<const Uuid&>(message.id))
                        branch.sessions.push_back(other.name);
            }
            list.branches.push_back(std::move(branch));
        }
        return list;
    });
}

awaitable<Json> Claudecode::resolve_handle(hub::Handle handle) {
    if (handle.method == "turn")
        co_return Json{{"type", "turn"},
                       {"index", handle.meta.empty() ? 0 : std::atoll(handle.meta[0].c_str())}};
    const auto id = handle.meta.empty() ? std::nullopt : schema::parse_uuid(handle.meta[0]);
    if (!id) throw dangling(handle);
    if (handle.method == "chat_event") {
        const auto event = co_await storage_.read(
            [id = *id](hub::Transaction& sql) { return arbor::ChainStore(sql).find(NodeId{id}); });
        if (!event) throw dangling(handle);
        co_return Json::parse(event->payload);
    }
    co_return co_await storage_.read([id = *id, handle](hub::Transaction& sql) {
        const auto blob = BlobStore(sql).find(id);
        if (!blob || blob->type != handle.method) throw dangling(handle);
        if (blob->type == "message") return resolved_message(sql, *blob);
        auto json = Json::parse(blob->data);
        if (blob->details && json.is_object()) json["tool_use_result"] = Json::parse(*blob->details);
        return json;
    });
}

}  // namespace plexus::claudecode
