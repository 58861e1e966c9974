#include "activations/claudecode/context.hpp"

#include "schema/rpc.hpp"

namespace plexus::claudecode {

using arbor::NodeId;
using arbor::StoredNode;
using arbor::TreeId;

namespace {

bool is(const StoredNode& node, std::string_view method) {
    return node.kind == arbor::Kind::external && node.handle.method == method;
}

bool is_block(const StoredNode& node) {
    for (const auto* kind : {"content", "thinking", "tool_use", "tool_result", "block"})
        if (is(node, kind)) return true;
    return false;
}

StoredBlob blob_behind(hub::Transaction& sql, const StoredNode& node) {
    const auto id = node.handle.meta.empty() ? std::nullopt : schema::parse_uuid(node.handle.meta[0]);
    auto blob = id ? BlobStore(sql).find(*id) : std::nullopt;
    if (!blob)
        throw schema::Failure(schema::failed("dangling_handle",
                                             "There is nothing behind " + node.handle.text(),
                                             {{"node_id", schema::to_text(node.id)}}));
    return std::move(*blob);
}

ContextMessage read_message(hub::Transaction& sql, const StoredNode& node) {
    const auto blob = blob_behind(sql, node);
    ContextMessage message{node.id, blob.id, "", Json::parse(blob.data), blob.cli_uuid.value_or(""), {}};
    message.role = message.data.value("role", "user");
    for (const auto& child : arbor::NodeStore(sql).load_children(node.key, true)) {
        if (!is_block(child)) continue;
        auto content = blob_behind(sql, child);
        message.blocks.push_back({child.id, content.id, child.handle.method, std::move(content.data),
                                  content.cli_uuid.value_or("")});
    }
    return message;
}

Json as_blocks(const Json& content) {
    if (content.is_array()) return content;
    return Json::array(
        {{{"type", "text"}, {"text", content.is_string() ? content.get<std::string>() : content.dump()}}});
}

bool is_result(const ContextBlock& block) { return block.kind == "tool_result"; }

// The CLI's own words about an error of the API; no part of what the model said.
bool is_synthetic(const ContextMessage& message) { return message.data.value("model", "") == "<synthetic>"; }

}  // namespace

std::vector<ContextMessage> read_context(hub::Transaction& sql, Uuid tree, Uuid head) {
    arbor::NodeStore nodes(sql);
    arbor::Paths paths(sql);
    const auto row = arbor::TreeStore(sql).get(TreeId{tree});
    const auto path = paths.load(paths.to(nodes.find(row, NodeId{head})));
    std::vector<ContextMessage> context;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        if (!is(path[i], "turn")) continue;
        for (const auto& child : nodes.load_children(path[i].key, true)) {
            if (is(child, "message")) context.push_back(read_message(sql, child));
            if (child.key == path[i + 1].key) break;
        }
    }
    return context;
}

Json as_api_messages(const std::vector<ContextMessage>& context) {
    Json messages = Json::array();
    for (const auto& message : context) {
        Json content = Json::array(), results = Json::array();
        if (message.data.contains("content")) content = as_blocks(message.data["content"]);
        for (const auto& block : message.blocks)
            (is_result(block) ? results : content).push_back(Json::parse(block.data));
        if (!content.empty()) messages.push_back({{"role", message.role}, {"content", std::move(content)}});
        if (!results.empty()) messages.push_back({{"role", "user"}, {"content", std::move(results)}});
    }
    return messages;
}

namespace {

class Transcript {
public:
    Transcript(std::string session_id, std::string working_dir, std::string timestamp)
        : session_id_(std::move(session_id)),
          working_dir_(std::move(working_dir)),
          timestamp_(std::move(timestamp)) {}

    void user(const std::string& uuid, Json content) {
        entry("user", uuid, {{"role", "user"}, {"content", std::move(content)}});
    }
    void assistant(const std::string& uuid, const ContextMessage& message, Json block) {
        entry("assistant", uuid,
              {{"id", message.data.value("message_id", "msg_" + schema::to_text(message.node))},
               {"type", "message"},
               {"role", "assistant"},
               {"model", message.data.value("model", "unknown")},
               {"content", Json::array({std::move(block)})},
               {"stop_reason", message.data.value("stop_reason", Json("end_turn"))},
               {"stop_sequence", nullptr},
               {"usage", message.data.value("usage", Json{{"input_tokens", 0}, {"output_tokens", 0}})}});
    }
    std::string text() && { return std::move(text_); }

private:
    void entry(const char* type, const std::string& uuid, Json message) {
        const Json line = {{"type", type},
                           {"uuid", uuid},
                           {"parentUuid", parent_.empty() ? Json() : Json(parent_)},
                           {"sessionId", session_id_},
                           {"cwd", working_dir_},
                           {"isSidechain", false},
                           {"userType", "external"},
                           {"timestamp", timestamp_},
                           {"message", std::move(message)}};
        text_ += schema::to_json_text(line) + "\n";
        parent_ = uuid;
    }

    std::string session_id_, working_dir_, timestamp_, parent_, text_;
};

std::string uuid_of(const std::string& cli_uuid, Uuid node) {
    return cli_uuid.empty() ? schema::to_text(node) : cli_uuid;
}

}  // namespace

std::string as_transcript(const std::vector<ContextMessage>& context, const std::string& session_id,
                          const std::string& working_dir, const std::string& timestamp) {
    Transcript transcript(session_id, working_dir, timestamp);
    for (const auto& message : context) {
        if (is_synthetic(message)) continue;
        if (message.data.contains("content"))
            transcript.user(uuid_of(message.cli_uuid, message.node), message.data["content"]);
        std::map<std::string, Uuid> unanswered;
        for (const auto& block : message.blocks) {
            if (is_result(block)) continue;
            auto data = Json::parse(block.data);
            if (block.kind == "tool_use") unanswered.emplace(data.value("id", ""), block.node);
            transcript.assistant(uuid_of(block.cli_uuid, block.node), message, std::move(data));
        }
        for (const auto& block : message.blocks) {
            if (!is_result(block)) continue;
            auto data = Json::parse(block.data);
            unanswered.erase(data.value("tool_use_id", ""));
            transcript.user(uuid_of(block.cli_uuid, block.node), Json::array({std::move(data)}));
        }
        for (const auto& [id, node] : unanswered)
            transcript.user(schema::to_text(schema::uuid_v5_oid("unanswered " + schema::to_text(node))),
                            Json::array({{{"type", "tool_result"},
                                          {"tool_use_id", id},
                                          {"is_error", true},
                                          {"content", "[plexus] This call was never answered."}}}));
    }
    return std::move(transcript).text();
}

}  // namespace plexus::claudecode
