// An outlet that keeps what it is sent, for tests that call the hub without a socket.
#pragma once

#include "hub/hub.hpp"

namespace plexus::tests {

struct FakeOutlet : hub::Outlet {
    std::vector<hub::Json> items;
    std::vector<std::string> content_types;
    std::vector<std::string> provenance;
    hub::Caller who{"test", "test", hub::Scopes::all(), {}};
    std::function<hub::Json(hub::Json)> answers;  // to questions

    void adopt(const hub::Target& target) override {
        provenance = target.provenance;
        default_type_ = target.method->content_type;
    }
    hub::awaitable<void> send(std::string content, std::string content_type) override {
        items.push_back(hub::Json::parse(content));
        content_types.push_back(content_type.empty() ? default_type_ : content_type);
        co_return;
    }
    hub::awaitable<void> progress(std::string, std::optional<double>) override { co_return; }
    hub::awaitable<hub::Json> ask(hub::Json question, std::chrono::milliseconds) override {
        co_return answers(std::move(question));
    }
    const hub::Caller& caller() const override { return who; }

private:
    std::string default_type_;
};

}  // namespace plexus::tests
