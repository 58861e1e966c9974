// Reads members of a parsed JSON object; whatever is absent or of another type is the empty value, so
// that a line of an unexpected shape is read as far as it goes. Only for stream_parser.cpp: the header
// behind it is large.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace plexus::claudecode {

class JsonReader {
public:
    JsonReader() = default;
    explicit JsonReader(simdjson::dom::element element) { present_ = !element.get(object_); }

    explicit operator bool() const { return present_; }
    bool has(std::string_view key) const { return get<simdjson::dom::element>(key).has_value(); }
    std::string_view text(std::string_view key) const { return get<std::string_view>(key).value_or(""); }
    bool flag(std::string_view key) const { return get<bool>(key).value_or(false); }
    double number(std::string_view key) const { return get<double>(key).value_or(0); }
    std::optional<std::int64_t> integer(std::string_view key) const {
        const auto value = get<double>(key);
        if (!value || !(*value > -9e15 && *value < 9e15)) return std::nullopt;
        return static_cast<std::int64_t>(*value);
    }
    JsonReader object(std::string_view key) const {
        const auto value = get<simdjson::dom::element>(key);
        return value ? JsonReader(*value) : JsonReader();
    }
    void each(const auto& see) const {
        if (!present_) return;
        for (const auto field : object_) see(field.key, JsonReader(field.value));
    }
    std::vector<simdjson::dom::element> elements(std::string_view key) const {
        std::vector<simdjson::dom::element> values;
        if (const auto array = get<simdjson::dom::array>(key))
            for (const auto element : *array) values.push_back(element);
        return values;
    }
    std::vector<std::string_view> texts(std::string_view key) const {
        std::vector<std::string_view> values;
        for (const auto element : elements(key))
            if (std::string_view value; !element.get(value)) values.push_back(value);
        return values;
    }

private:
    template <class T>
    std::optional<T> get(std::string_view key) const {
        T value;
        if (!present_ || object_.at_key(key).get(value)) return std::nullopt;
        return value;
    }

    simdjson::dom::object object_;
    bool present_ = false;
};

}  // namespace plexus::claudecode
