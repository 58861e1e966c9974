#include "schema/rpc.hpp"

#include <simdjson.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace plexus::schema {

namespace dom = simdjson::dom;

struct FrameReader::Parser {
    dom::parser dom;
};

namespace {

constexpr std::int64_t largest_id = std::int64_t(1) << 53;
constexpr std::size_t longest_id = 256;
constexpr double largest_double = std::numeric_limits<double>::max();

Json to_json(dom::element element) {
    switch (element.type()) {
        case dom::element_type::OBJECT: {
            Json object = Json::object();
            for (const auto [key, value] : dom::object(element)) object[std::string(key)] = to_json(value);
            return object;
        }
        case dom::element_type::ARRAY: {
            Json array = Json::array();
            for (const auto value : dom::array(element)) array.push_back(to_json(value));
            return array;
        }
        case dom::element_type::STRING:
            return std::string(std::string_view(element));
        case dom::element_type::INT64: {
            // nlohmann tells 5 and +5u apart; whole numbers from outside are unsigned where they can be.
            const std::int64_t number = element;
            return number >= 0 ? Json(static_cast<std::uint64_t>(number)) : Json(number);
        }
        case dom::element_type::UINT64:
            return std::uint64_t(element);
        case dom::element_type::DOUBLE:
            return double(element);
        case dom::element_type::BOOL:
            return bool(element);
        case dom::element_type::NULL_VALUE:
            break;
    }
    return nullptr;
}

// Numbers that no 64 bits hold are JSON all the same: the nearest double stands in for them, so that the
// request is answered for what is wrong with it rather than refused as no JSON.
std::string with_nearest_numbers(std::string_view text) {
    constexpr std::string_view in_numbers = "+-.0123456789eE";
    std::string result;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\' && i + 1 < text.size()) result += text[i++];
        else if (c == '"') quoted = !quoted;
        else if (!quoted && (c == '-' || (c >= '0' && c <= '9'))) {
            const auto end = std::min(text.find_first_not_of(in_numbers, i), text.size());
            const std::string token(text.substr(i, end - i));
            const double value = std::strtod(token.c_str(), nullptr);
            const bool fits = token.size() < 18 && std::isfinite(value);
            result += fits ? token : Json(std::clamp(value, -largest_double, largest_double)).dump();
            i = end - 1;
            continue;
        }
        result += text[i];
    }
    return result;
}

Error malformed(simdjson::error_code problem, const FrameLimits& limits) {
    const auto sentence = problem == simdjson::DEPTH_ERROR
                              ? "JSON nested deeper than " + std::to_string(limits.depth) + " levels"
                              : std::string("Parse error: ") + simdjson::error_message(problem);
    return {Code::parse_error, "parse_error", sentence};
}

Refused not_a_request(std::string sentence, std::string id = "null") {
    return {std::move(id),
            {Code::invalid_request, "invalid_request", "Invalid request: " + std::move(sentence)}};
}

// The id as JSON text; nothing when it is of a form we do not echo.
std::optional<std::string> id_text(dom::element id) {
    if (id.is_string()) {
        const std::string_view text = id;
        if (text.size() <= longest_id) return json_string(text);
    } else if (id.is_int64()) {
        const std::int64_t number = id;
        if (number >= -largest_id && number <= largest_id) return std::to_string(number);
    }
    return std::nullopt;
}

Incoming read_request(dom::element element) {
    dom::object object;
    if (element.get(object)) return not_a_request("expected an object with jsonrpc, method, params and id");

    Request request;
    bool version_ok = false;
    std::optional<dom::element> method, params, id;
    for (const auto [key, value] : object) {
        if (key == "jsonrpc") version_ok = value.is_string() && std::string_view(value) == "2.0";
        else if (key == "method") method = value;
        else if (key == "params") params = value;
        else if (key == "id") id = value;
    }
    if (id) {
        auto text = id_text(*id);
        if (!text) return not_a_request("id must be a string of at most 256 bytes or an integer within 2^53");
        request.id = std::move(*text);
    }
    const auto addressed = request.id.empty() ? std::string("null") : request.id;
    if (!version_ok) return not_a_request("jsonrpc must be \"2.0\"", addressed);
    if (!method || !method->is_string()) return not_a_request("method must be a string", addressed);
    request.method = std::string_view(*method);
    if (params) {
        if (!params->is_object() && !params->is_array() && !params->is_null())
            return not_a_request("params must be an object, an array or null", addressed);
        request.params = to_json(*params);
    }
    return request;
}

}  // namespace

FrameReader::FrameReader(FrameLimits limits) : limits_(limits), parser_(std::make_unique<Parser>()) {}
FrameReader::~FrameReader() = default;

Frame FrameReader::read(std::string_view text) {
    dom::element document;
    auto& parser = parser_->dom;
    simdjson::error_code problem = simdjson::SUCCESS;
    if (text.size() > parser.capacity() || parser.max_depth() != limits_.depth)
        problem = parser.allocate(std::max<std::size_t>(text.size(), 4096), limits_.depth);
    if (!problem) problem = parser.parse(text.data(), text.size()).get(document);
    std::string mended;
    if (problem == simdjson::NUMBER_ERROR) {
        mended = with_nearest_numbers(text);
        problem = parser.parse(mended.data(), mended.size()).get(document);
    }
    if (problem) return {false, {Refused{"null", malformed(problem, limits_)}}};

    dom::array batch;
    if (document.get(batch)) return {false, {read_request(document)}};
    if (batch.size() == 0) return {false, {not_a_request("an empty batch")}};
    if (batch.size() > limits_.batch)
        return {false,
                {not_a_request("a batch of more than " + std::to_string(limits_.batch) + " requests")}};
    Frame frame{true, {}};
    for (const auto element : batch) frame.requests.push_back(read_request(element));
    return frame;
}

Result<Json> parse_json(std::string_view text, std::size_t depth) {
    dom::parser parser;
    dom::element document;
    auto problem = parser.allocate(std::max<std::size_t>(text.size(), 64), depth);
    if (!problem) problem = parser.parse(text.data(), text.size()).get(document);
    if (problem) return Result<Json>(boost::system::in_place_error, malformed(problem, {depth, 0}));
    // Json converts from nearly anything, so say which side of the Result is meant.
    return Result<Json>(boost::system::in_place_value, to_json(document));
}

}  // namespace plexus::schema
