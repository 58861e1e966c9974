#include "activations/claudecode/stream_parser.hpp"

#include "activations/claudecode/json_reader.hpp"
#include "activations/claudecode/json_text.hpp"
#include "activations/claudecode/raw_message.hpp"

#include <nlohmann/json.hpp>

#include <deque>

namespace plexus::claudecode {

namespace dom = simdjson::dom;

struct StreamParser::Document {
    static constexpr std::size_t usual_size = 1u << 20;  // memory for longer lines is given back after them

    dom::parser usual;
    std::unique_ptr<dom::parser> large;
    std::string text;              // the line, with the room behind it that simdjson reads over
    std::deque<std::string> made;  // strings the message needs that the line does not hold as such
    dom::element root;

    simdjson::error_code load(std::string_view line) {
        if (text.capacity() > 2 * usual_size) std::string().swap(text);
        text.reserve(line.size() + simdjson::SIMDJSON_PADDING);
        text.assign(line);
        auto* parser = &usual;
        large.reset();
        if (line.size() > usual_size) parser = (large = std::make_unique<dom::parser>()).get();
        // simdjson counts the document itself as a level.
        if (parser->capacity() < line.size())
            if (const auto error = parser->allocate(line.size(), max_depth + 1)) return error;
        return parser->parse(text.data(), text.size(), false).get(root);
    }

    simdjson::error_code load_or_mend(std::string_view line) {
        auto error = load(line);
        if (error == simdjson::STRING_ERROR) error = load(made.emplace_back(without_half_pairs(line)));
        if (error == simdjson::NUMBER_ERROR)
            if (const auto rounded = with_rounded_numbers(std::string(text), max_depth))
                error = load(*rounded);
        return error;
    }

    ContentBlock block(dom::element element, std::string_view raw);
    std::string_view result_text(const JsonReader& block);
    std::vector<ContentBlock> blocks(const JsonReader& message, const RawMessage& raw);

    InitLine init(const JsonReader& line);
    StreamEvent stream_event(const JsonReader& line);
    AssistantLine assistant(const JsonReader& line, const JsonReader& message);
    UserLine user(const JsonReader& line, const JsonReader& message);
    ResultLine result(const JsonReader& line);
    SystemLine system(const JsonReader& line);
    ControlRequest control_request(const JsonReader& line);
    ControlResponse control_response(const JsonReader& line);
    TranscriptMirror transcript(const JsonReader& line);
    decltype(CliMessage::body) body(const CliMessage& message, const JsonReader& line);
};

StreamParser::StreamParser() : document_(std::make_unique<Document>()) {}
StreamParser::~StreamParser() = default;
StreamParser::StreamParser(StreamParser&&) noexcept = default;
StreamParser& StreamParser::operator=(StreamParser&&) noexcept = default;

CliMessage StreamParser::parse(const Line& line) {
    if (!line.oversize) return parse(line.text);
    document_->made.clear();
    CliMessage message;
    message.type = "oversize";
    const nlohmann::json data = {{"head", to_utf8(line.oversize->head)},
                                 {"length", line.oversize->length},
                                 {"sha256", line.oversize->sha256}};
    message.raw = document_->made.emplace_back(data.dump());
    return message;
}

CliMessage StreamParser::parse(std::string_view text) {
    document_->made.clear();
    CliMessage message;
    if (const auto error = document_->load_or_mend(text)) {
        message.type = "unparsed";
        message.body = Unparsed{to_utf8(text), simdjson::error_message(error)};
        return message;
    }
    message.raw = document_->text;
    const JsonReader line(document_->root);
    message.type = line.text("type");
    message.subtype = line.text("subtype");
    message.uuid = line.text("uuid");
    message.session_id = line.text("session_id");
    message.parent_tool_use_id = line.text("parent_tool_use_id");
    if (!message.parent_tool_use_id.empty()) {
        message.agent_id = line.text("agent_id");
        message.subagent_type = line.text("subagent_type");
        message.task_description = line.text("task_description");
    }
    message.body = document_->body(message, line);
    return message;
}

decltype(CliMessage::body) StreamParser::Document::body(const CliMessage& message, const JsonReader& line) {
    const auto type = message.type;
    if (type == "stream_event" && line.object("event")) return stream_event(line);
    if (type == "assistant" || type == "user") {
        const auto inner = line.object("message");
        if (!inner.has("content")) return OtherLine{};
        if (type == "assistant") return assistant(line, inner);
        return user(line, inner);
    }
    if (type == "result") return result(line);
    if (type == "system" && message.subtype == "init") return init(line);
    if (type == "system") return system(line);
    if (type == "control_request" && line.object("request")) return control_request(line);
    if (type == "control_cancel_request") return ControlCancel{line.text("request_id")};
    if (type == "control_response" && line.object("response")) return control_response(line);
    if (type == "transcript_mirror") return transcript(line);
    if (const auto info = line.object("rate_limit_info"); type == "rate_limit_event" && info)
        return RateLimitLine{info.text("status"), info.integer("resetsAt")};
    return OtherLine{};
}

ContentBlock StreamParser::Document::block(dom::element element, std::string_view raw) {
    const JsonReader reader(element);
    ContentBlock block;
    block.type = reader.text("type");
    block.id = reader.text("id");
    block.name = reader.text("name");
    block.tool_use_id = reader.text("tool_use_id");
    block.is_error = reader.flag("is_error");
    block.raw = raw;
    if (block.type == "thinking") block.text = reader.text("thinking");
    else if (block.type == "tool_result") block.text = result_text(reader);
    else block.text = reader.text("text");
    return block;
}

std::string_view StreamParser::Document::result_text(const JsonReader& block) {
    const auto parts = block.elements("content");
    if (parts.empty()) return block.text("content");
    auto& joined = made.emplace_back();
    for (const auto part : parts) {
        const auto text_part = JsonReader(part).text("text");
        if (!joined.empty() && !text_part.empty()) joined += '\n';
        joined += text_part;
    }
    return joined;
}

std::vector<ContentBlock> StreamParser::Document::blocks(const JsonReader& message, const RawMessage& raw) {
    std::vector<ContentBlock> blocks;
    const auto elements = message.elements("content");
    for (std::size_t i = 0; i < elements.size() && i < raw.blocks.size(); ++i)
        blocks.push_back(block(elements[i], raw.blocks[i]));
    return blocks;
}

InitLine StreamParser::Document::init(const JsonReader& line) {
    return {line.text("model"), line.text("permissionMode"), line.text("claude_code_version"),
            line.texts("user_message_uuids")};
}

StreamEvent StreamParser::Document::stream_event(const JsonReader& line) {
    using enum StreamEvent::Kind;
    const auto raw = [&] { return raw_member(text, "event"); };
    const auto event = line.object("event");
    const auto type = event.text("type");
    StreamEvent out;
    out.index = event.integer("index").value_or(0);
    out.message_id = line.text("api_message_id");
    if (type == "content_block_delta") {
        const auto delta = event.object("delta");
        out.kind = block_delta;
        out.delta_type = delta.text("type");
        if (out.delta_type == "text_delta") out.delta_text = delta.text("text");
        else if (out.delta_type == "thinking_delta") out.delta_text = delta.text("thinking");
        else if (out.delta_type == "input_json_delta") out.delta_text = delta.text("partial_json");
    } else if (type == "content_block_start") {
        out.kind = block_start;
        if (const auto content = event.object("content_block")) {
            out.block.type = content.text("type");
            out.block.id = content.text("id");
            out.block.name = content.text("name");
        }
    } else if (type == "content_block_stop") {
        out.kind = block_stop;
    } else if (type == "message_start") {
        const auto message = event.object("message");
        out.kind = message_start;
        out.message_id = message.text("id");
        out.model = message.text("model");
        out.usage = raw_member(raw_member(raw(), "message"), "usage");
    } else if (type == "message_delta") {
        out.kind = message_delta;
        out.stop_reason = event.object("delta").text("stop_reason");
        out.usage = raw_member(raw(), "usage");
    } else if (type == "message_stop") {
        out.kind = message_stop;
    }
    return out;
}

AssistantLine StreamParser::Document::assistant(const JsonReader& line, const JsonReader& message) {
    const RawMessage raw(text, false);
    AssistantLine out;
    out.message_id = message.text("id");
    out.model = message.text("model");
    out.stop_reason = message.text("stop_reason");
    out.usage = raw.usage;
    out.error = line.text("error");
    out.api_status = line.integer("api_error_status");
    out.aborted = line.flag("aborted");
    out.supersedes = line.texts("supersedes");
    out.blocks = blocks(message, raw);
    if (raw.content.starts_with('"')) {
        ContentBlock block;
        block.type = "text";
        block.text = message.text("content");
        block.raw = made.emplace_back("{\"type\":\"text\",\"text\":" + std::string(raw.content) + "}");
        out.blocks.push_back(block);
    }
    return out;
}

UserLine StreamParser::Document::user(const JsonReader& line, const JsonReader& message) {
    const RawMessage raw(text, line.has("tool_use_result"));
    UserLine out;
    out.replay = line.flag("isReplay");
    out.synthetic = line.flag("isSynthetic");
    out.content = raw.content;
    out.text = message.text("content");
    out.blocks = blocks(message, raw);
    out.tool_use_result = raw.tool_use_result;
    return out;
}

std::map<std::string, ModelUsage> models_in(const JsonReader& object) {
    std::map<std::string, ModelUsage> models;
    object.each([&](std::string_view name, const JsonReader& usage) {
        models[std::string(name)] = {
            usage.integer("inputTokens").value_or(0), usage.integer("outputTokens").value_or(0),
            usage.integer("cacheReadInputTokens").value_or(0),
            usage.integer("cacheCreationInputTokens").value_or(0), usage.number("costUSD")};
    });
    return models;
}

ResultLine StreamParser::Document::result(const JsonReader& line) {
    ResultLine out;
    out.subtype = line.text("subtype");
    out.is_error = line.flag("is_error");
    out.text = line.text("result");
    out.stop_reason = line.text("stop_reason");
    out.terminal_reason = line.text("terminal_reason");
    out.api_status = line.integer("api_error_status");
    out.errors = line.texts("errors");
    out.origin = line.object("origin").text("kind");
    out.prompt_uuids = line.texts("user_message_uuids");
    out.num_turns = line.integer("num_turns").value_or(0);
    out.duration_ms = line.integer("duration_ms").value_or(0);
    out.duration_api_ms = line.integer("duration_api_ms").value_or(0);
    out.total_cost_usd = line.number("total_cost_usd");
    const auto usage = line.object("usage");
    out.tokens.input_tokens = usage.integer("input_tokens").value_or(0);
    out.tokens.output_tokens = usage.integer("output_tokens").value_or(0);
    out.tokens.cache_read_input_tokens = usage.integer("cache_read_input_tokens").value_or(0);
    out.tokens.cache_creation_input_tokens = usage.integer("cache_creation_input_tokens").value_or(0);
    out.models = models_in(line.object("modelUsage"));
    if (const auto since = line.object("model_usage_since_last_result"))
        out.models_since_last = models_in(since);
    return out;
}

SystemLine StreamParser::Document::system(const JsonReader& line) {
    return {line.text("status"), line.text("permissionMode"), line.text("error"),
            line.integer("error_status"), line.texts("retracted_message_uuids")};
}

ControlRequest StreamParser::Document::control_request(const JsonReader& line) {
    const auto request = line.object("request");
    const auto raw = raw_member(text, "request");
    return {line.text("request_id"),
            request.text("subtype"),
            request.text("tool_name"),
            request.text("tool_use_id"),
            request.text("agent_id"),
            raw_member(raw, "input"),
            raw};
}

ControlResponse StreamParser::Document::control_response(const JsonReader& line) {
    const auto response = line.object("response");
    return {response.text("request_id"), response.text("subtype") == "success", response.text("error"),
            raw_member(raw_member(text, "response"), "response")};
}

TranscriptMirror StreamParser::Document::transcript(const JsonReader& line) {
    TranscriptMirror out;
    const auto entries = line.elements("entries");
    const auto texts = JsonCursor(raw_member(text, "entries")).elements();
    for (std::size_t i = 0; i < entries.size() && i < texts.size(); ++i) {
        const JsonReader entry(entries[i]);
        if (entry.text("type") != "assistant") continue;
        const auto message = entry.object("message");
        out.entries.push_back({message.text("id"), message.text("stop_reason"),
                               raw_member(raw_member(texts[i], "message"), "usage")});
    }
    return out;
}

}  // namespace plexus::claudecode
