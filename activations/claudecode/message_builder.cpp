#include "activations/claudecode/message_builder.hpp"

#include "activations/claudecode/json_text.hpp"

#include <algorithm>

namespace plexus::claudecode {
namespace {

bool is_thinking(std::string_view type) { return type == "thinking" || type == "redacted_thinking"; }

Json parsed(std::string_view text) {
    return text.empty() ? Json::object() : Json::parse(text, nullptr, false);
}

std::string type_of_delta(std::string_view delta_type) {
    if (delta_type == "thinking_delta") return "thinking";
    return delta_type == "input_json_delta" ? "tool_use" : "text";
}

}  // namespace

const MessageBuilder::ToolUse* MessageBuilder::tool_use(std::string_view id) const {
    const auto found = tool_uses_.find(std::string(id));
    return found == tool_uses_.end() ? nullptr : &found->second;
}

bool MessageBuilder::stream(Chain& chain, const StreamEvent& event) {
    using enum StreamEvent::Kind;
    if (event.kind == other) return false;
    if (event.kind == message_start) close(chain);  // the one before was cut
    if (chain.streaming.empty()) {
        auto& message = open_message(chain, event.message_id);
        chain.streaming = message.name;
        message.model = event.model;
        message.usage = event.usage;
        if (event.kind == message_start) return true;
    }
    auto& message = messages_[chain.streaming];
    if (event.kind == block_start) {
        message.blocks.push_back({event.index, std::string(event.block.type), std::string(event.block.id),
                                  std::string(event.block.name), ""});
        start_event(chain, message.blocks.back());
    } else if (event.kind == block_delta) {
        return delta(chain, message, event);
    } else if (event.kind == message_delta) {
        if (!event.usage.empty()) message.usage = event.usage;
        message.stop_reason = event.stop_reason;
        message.final = !event.stop_reason.empty();
    } else if (event.kind == message_stop) {
        close_message(chain, std::exchange(chain.streaming, ""));
    }
    return true;
}

bool MessageBuilder::delta(const Chain& chain, Message& message, const StreamEvent& event) {
    if (event.delta_type == "signature_delta") return true;  // comes again with the block
    if (event.delta_type != "text_delta" && event.delta_type != "thinking_delta" &&
        event.delta_type != "input_json_delta")
        return false;
    auto block = std::ranges::find(message.blocks, event.index, &Provisional::index);
    if (block == message.blocks.end()) {
        if (event.index < message.next_index) return true;  // committed already, and that is the truth
        message.blocks.push_back({event.index, type_of_delta(event.delta_type), "", "", ""});
        block = std::prev(message.blocks.end());
        start_event(chain, *block);
    }
    block->text += event.delta_text;
    if (!event.delta_text.empty()) delta_event(chain, *block, event.delta_text);
    return true;
}

void MessageBuilder::assistant(Chain& chain, const AssistantLine& line, std::string_view cli_uuid) {
    if (!chain.streaming.empty() && chain.streaming != line.message_id)
        abandon(chain, messages_[chain.streaming]);
    auto& message = open_message(chain, line.message_id);
    message.model = line.model;
    // A line that says why the model stopped belongs to a request that was not streamed: it is complete.
    if (!line.stop_reason.empty()) {
        message.stop_reason = line.stop_reason;
        message.final = true;
    }
    if (message.final || message.usage.empty()) message.usage = line.usage;
    for (const auto& block : line.blocks) commit(chain, message, block, line, cli_uuid);
}

void MessageBuilder::commit(Chain& chain, Message& message, const ContentBlock& block,
                            const AssistantLine& line, std::string_view cli_uuid) {
    if (message.node == no_key) {
        message.node = log_.new_key();
        log_.add(AddMessage{message.node, chain.turn, "assistant", message.id, message.model,
                            std::string(cli_uuid), "", false});
        chain.head = message.node;
    }
    const auto settled = settle(chain, message, block);
    const auto index = std::to_string(settled.index);
    AddBlock add;
    add.node = log_.new_key();
    add.message = message.node;
    add.turn = chain.turn;
    add.data = block.raw;
    add.cli_uuid = cli_uuid;
    add.aborted = line.aborted;
    if (block.type == "text") add.method = "content", add.meta = {index};
    else if (is_thinking(block.type)) add.method = "thinking", add.meta = {index};
    else if (block.type == "tool_use") add.method = "tool_use", add.meta = {settled.id, settled.name};
    else add.method = "block", add.meta = {index, settled.type};
    const auto node = add.node;
    if (block.type == "tool_use") tool_uses_[settled.id] = {node, message.node, chain.stream};
    log_.add(std::move(add));
    chain.answered = true;
    end_event(chain, settled, node, block.raw);
}

// The streamed block that this finished one was; if it was not streamed, it is now, in one piece.
MessageBuilder::Provisional MessageBuilder::settle(const Chain& chain, Message& message,
                                                   const ContentBlock& block) {
    const auto same = [&](const Provisional& p) { return p.type == block.type && p.id == block.id; };
    auto found =
        std::ranges::find_if(message.blocks, [&](const auto& p) { return same(p) && p.text == block.text; });
    if (found == message.blocks.end()) found = std::ranges::find_if(message.blocks, same);
    Provisional settled;
    if (found != message.blocks.end()) {
        settled = std::move(*found);
        message.blocks.erase(found);
        settled.name = block.name;
    } else {
        settled = {message.next_index, std::string(block.type), std::string(block.id),
                   std::string(block.name), ""};
        start_event(chain, settled);
    }
    message.next_index = std::max(message.next_index, settled.index + 1);
    if (block.type != "tool_use" && block.text.starts_with(settled.text) && block.text != settled.text)
        delta_event(chain, settled, block.text.substr(settled.text.size()));
    return settled;
}

void MessageBuilder::tool_result(const Chain& chain, const ContentBlock& block, std::string_view details,
                                 std::string_view cli_uuid) {
    AddBlock add;
    add.node = log_.new_key();
    add.turn = chain.turn;
    if (const auto* use = tool_use(block.tool_use_id)) add.message = use->message, add.after = use->node;
    add.method = "tool_result";
    add.meta = {std::string(block.tool_use_id), block.is_error ? "true" : "false"};
    add.data = block.raw;
    add.details = details;
    add.cli_uuid = cli_uuid;
    const auto node = add.node;
    log_.add(std::move(add));
    ToolResultEvent event;
    event.tool_use_id = block.tool_use_id;
    event.output = block.text;
    event.is_error = block.is_error;
    event.parent_tool_use_id = chain.parent_tool_use_id;
    log_.emit(chain.stream, std::move(event), node);
}

Key MessageBuilder::user(Chain& chain, std::string content, std::string_view cli_uuid, bool synthetic) {
    const auto node = log_.new_key();
    log_.add(
        AddMessage{node, chain.turn, "user", "", "", std::string(cli_uuid), std::move(content), synthetic});
    chain.head = node;
    return node;
}

void MessageBuilder::user_event(const Chain& chain, Key node, std::string_view cli_uuid) {
    UserMessageEvent event;
    if (!cli_uuid.empty()) event.uuid = cli_uuid;
    event.parent_tool_use_id = chain.parent_tool_use_id;
    log_.emit(chain.stream, std::move(event), node);
}

void MessageBuilder::finalise(const TranscriptMirror& mirror) {
    for (const auto& entry : mirror.entries) {
        const auto found = messages_.find(std::string(entry.message_id));
        if (found == messages_.end() || entry.stop_reason.empty()) continue;
        auto& message = found->second;
        if (message.final || message.node == no_key) continue;
        message.stop_reason = entry.stop_reason;
        message.usage = entry.usage;
        message.final = true;
        update(message);
    }
}

MessageBuilder::Message& MessageBuilder::open_message(Chain& chain, std::string_view id) {
    const auto name = id.empty() ? "nameless-" + std::to_string(++nameless_) : std::string(id);
    if (std::ranges::find(chain.open, name) != chain.open.end()) return messages_[name];
    for (const auto& other : std::vector(chain.open))
        if (other != chain.streaming) close_message(chain, other);
    chain.open.push_back(name);
    auto& message = messages_[name];
    message.id = id;
    message.name = name;
    return message;
}

void MessageBuilder::close_message(Chain& chain, const std::string& name) {
    std::erase(chain.open, name);
    const auto found = messages_.find(name);
    if (found == messages_.end()) return;
    auto& message = found->second;
    abandon(chain, message);
    if (message.node == no_key) {
        messages_.erase(found);
        return;
    }
    update(message);
    if (std::exchange(message.told, true)) return;
    AssistantMessageEvent event;
    event.message_id = message.id;
    if (!message.stop_reason.empty()) event.stop_reason = message.stop_reason;
    event.parent_tool_use_id = chain.parent_tool_use_id;
    log_.emit(chain.stream, std::move(event), message.node);
}

void MessageBuilder::close(Chain& chain) {
    chain.streaming.clear();
    for (const auto& name : std::vector(chain.open)) close_message(chain, name);
}

void MessageBuilder::abandon(const Chain& chain, Message& message) {
    for (const auto& block : std::exchange(message.blocks, {})) end_event(chain, block, no_key, "");
}

void MessageBuilder::update(const Message& message) {
    log_.add(UpdateMessage{message.node, message.stop_reason, message.usage, message.final});
}

void MessageBuilder::start_event(const Chain& chain, const Provisional& block) {
    const auto& parent = chain.parent_tool_use_id;
    if (block.type == "text") log_.emit(chain.stream, ContentStartEvent{block.index, parent});
    else if (is_thinking(block.type)) log_.emit(chain.stream, ThinkingStartEvent{block.index, parent});
    else if (block.type == "tool_use")
        log_.emit(chain.stream, ToolUseStartEvent{block.id, block.name, block.index, parent});
}

void MessageBuilder::delta_event(const Chain& chain, const Provisional& block, std::string_view text) {
    const auto& parent = chain.parent_tool_use_id;
    const std::string more(text);
    if (block.type == "text") log_.emit(chain.stream, ContentDeltaEvent{more, block.index, parent});
    else if (is_thinking(block.type)) log_.emit(chain.stream, ThinkingDeltaEvent{more, block.index, parent});
    else if (block.type == "tool_use") log_.emit(chain.stream, ToolUseDeltaEvent{more, block.index, parent});
}

void MessageBuilder::end_event(const Chain& chain, const Provisional& block, Key node, std::string_view raw) {
    const auto finish = [&](auto event) {
        event.block_index = block.index;
        event.parent_tool_use_id = chain.parent_tool_use_id;
        if (node == no_key) event.abandoned = true;
        log_.emit(chain.stream, std::move(event), node);
    };
    if (block.type == "text") finish(ContentEndEvent{});
    else if (is_thinking(block.type)) finish(ThinkingEndEvent{});
    else if (block.type == "tool_use") {
        ToolUseEndEvent event;
        event.tool_use_id = block.id;
        event.tool_name = block.name;
        if (node != no_key) event.input = parsed(raw_member(raw, "input"));
        finish(std::move(event));
    } else if (node != no_key) {
        log_.emit(chain.stream, PassthroughEvent{block.type, "", parsed(raw)}, node);
    }
}

}  // namespace plexus::claudecode
