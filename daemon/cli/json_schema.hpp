// Just enough JSON Schema to check parameters before they are sent: the dialect the daemon writes. Pure.
// Refers to the document it is made from.
#pragma once

#include "schema/error.hpp"

#include <string>
#include <vector>

namespace plexus::cli {

using schema::Json;

class JsonSchema {
public:
    explicit JsonSchema(const Json& root) : JsonSchema(root, root) {}

    // The types it admits: "string", "integer", … Empty admits anything.
    std::vector<std::string> types() const;
    bool admits(std::string_view type) const;
    JsonSchema items() const;
    JsonSchema property(const std::string& name) const;
    std::vector<std::string_view> properties() const;
    std::vector<std::string> required() const;

    std::string type_text() const;  // for people: integer, [string], Handle, confirm|deny
    std::string description() const;
    const Json& json() const { return schema_; }

    // A word of the command line as this schema's type. What does not fit stays text, for check() to refuse.
    Json value_of(const std::string& word) const;
    // Every problem as a sentence with its path.
    void check(const Json& value, const std::string& path, std::vector<std::string>& problems) const;

private:
    JsonSchema(const Json& schema, const Json& root);
    void check_object(const Json& value, const std::string& path, std::vector<std::string>& problems) const;
    std::vector<JsonSchema> alternatives() const;

    const Json& root_;
    const Json& said_;    // as written: a reference may carry a description of its own
    const Json& schema_;  // with references followed
};

}  // namespace plexus::cli
