#include "daemon/cli/questions.hpp"

#include "daemon/cli/text.hpp"
#include "schema/rpc.hpp"

#include <algorithm>
#include <sstream>

namespace plexus::cli {

using schema::Json;

namespace {

const Json cancelled = {{"type", "cancelled"}};

std::string text_of(const Json& value) {
    return printable(value.is_string() ? value.get<std::string>() : schema::to_json_text(value));
}

bool takes_many(const Json& request) {
    return request.value("multi_select", request.value("multiSelect", false));
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string trimmed(const std::string& text) {
    const auto from = text.find_first_not_of(" \t\r");
    return from == text.npos ? "" : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

// By number, by label or by value.
std::optional<Json> option_called(const Json& options, const std::string& word) {
    for (std::size_t i = 0; i < options.size(); ++i)
        if (word == std::to_string(i + 1) || word == options[i].value("label", "") ||
            word == text_of(options[i].value("value", Json())))
            return options[i].value("value", Json());
    return std::nullopt;
}

std::optional<Json> selection(const Json& request, const std::string& line) {
    Json values = Json::array();
    std::stringstream words(line);
    for (std::string word; std::getline(words, word, ',');) {
        const auto value = option_called(request.value("options", Json::array()), trimmed(word));
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    if (values.empty() || (values.size() > 1 && !takes_many(request))) return std::nullopt;
    return Json{{"type", "selected"}, {"values", values}};
}

}  // namespace

Json answer_alone(const Json& request) {
    const auto type = request.value("type", "");
    const auto fallback = request.value("default", Json());
    if (fallback.is_null()) return cancelled;
    if (type == "confirm") return {{"type", "confirmed"}, {"value", fallback}};
    if (type == "prompt") return {{"type", "text"}, {"value", fallback}};
    if (type == "select")
        return {{"type", "selected"}, {"values", fallback.is_array() ? fallback : Json::array({fallback})}};
    return cancelled;
}

std::string question_text(const Json& request) {
    const auto type = request.value("type", "");
    const auto message = printable(request.value("message", ""));
    const auto fallback = request.value("default", Json());
    if (type == "confirm")
        return message + (fallback.is_null() ? " [y/n] " : fallback == true ? " [Y/n] " : " [y/N] ");
    if (type == "prompt") {
        const auto example = request.value("placeholder", Json());
        return message + (example.is_null() ? "" : " (" + text_of(example) + ")") +
               (fallback.is_null() ? ": " : " [" + text_of(fallback) + "]: ");
    }
    if (type != "select")
        return "The hub asks " + text_of(request.value("data", request)) + "\nAnswer in JSON: ";
    auto text = message + "\n";
    const auto options = request.value("options", Json::array());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const auto about = printable(options[i].value("description", ""));
        text += "  " + std::to_string(i + 1) + ") " + printable(options[i].value("label", "")) +
                (about.empty() ? "" : "  " + about) + "\n";
    }
    return text + (takes_many(request) ? "Numbers, with commas between them: " : "Number: ");
}

std::optional<Json> answer_from(const Json& request, const std::string& typed) {
    const auto line = trimmed(typed);
    const auto type = request.value("type", "");
    const auto alone = answer_alone(request);
    if (line.empty() && alone != cancelled) return alone;
    if (type == "confirm") {
        const auto word = lower(line);
        if (word == "y" || word == "yes") return Json{{"type", "confirmed"}, {"value", true}};
        if (word == "n" || word == "no") return Json{{"type", "confirmed"}, {"value", false}};
        return std::nullopt;
    }
    if (type == "prompt") return Json{{"type", "text"}, {"value", typed}};
    if (type == "select") return selection(request, line);
    const auto data = schema::parse_json(line);
    return data ? std::optional(Json{{"type", "custom"}, {"data", *data}}) : std::nullopt;
}

hub::awaitable<Json> answer_at(Terminal& terminal, Json request) {
    for (;;) {
        const auto line = co_await terminal.ask(question_text(request));
        if (!line) co_return cancelled;
        if (auto answer = answer_from(request, *line)) co_return std::move(*answer);
    }
}

}  // namespace plexus::cli
