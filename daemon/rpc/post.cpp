#include "daemon/rpc/post.hpp"

#include "daemon/rpc/items.hpp"
#include "daemon/rpc/names.hpp"
#include "hub/openrpc.hpp"

namespace plexus::rpc {

using schema::Code;
using schema::Error;
using schema::Failure;
using schema::Request;

namespace {

// A plain method has one datum, and over HTTP that is the whole answer.
class OneDatum : public Items {
public:
    using Items::Items;
    std::optional<std::string> datum;

    void adopt(const hub::Target& target) override {
        Items::adopt(target);
        const auto& method = *target.method;
        if (method.streaming && method.scope != hub::Scope::open)
            throw Failure(schema::failed(
                "unsupported", method.content_type +
                                   " streams: call it over WebSocket, with `Accept: text/event-stream`, or "
                                   "follow what it makes with GET /events"));
    }
    awaitable<void> send(std::string content, std::string) override {
        if (!datum) datum = std::move(content);
        co_return;
    }
    awaitable<void> progress(std::string, std::optional<double>) override { co_return; }
    awaitable<schema::Json> ask(schema::Json, std::chrono::milliseconds) override {
        throw Failure(
            schema::failed("unsupported", "A question cannot be asked over HTTP: call over WebSocket"));
        co_return schema::Json();
    }

protected:
    awaitable<void> deliver(std::string) override { co_return; }
};

class EventItems : public Items {
public:
    EventItems(const Services& services, const hub::Caller& caller,
               std::function<awaitable<void>(std::string)> deliver)
        : Items(services, caller), deliver_(std::move(deliver)) {}
    awaitable<void> deliver(std::string item) override { return deliver_(std::move(item)); }

private:
    std::function<awaitable<void>(std::string)> deliver_;
};

Error method_not_found(const std::string& method) {
    return {Code::method_not_found, "method_not_found", "Method not found",
            schema::Json{{"method", schema::clipped(method)}}};
}

Error forbidden_read() { return {Code::forbidden, "forbidden", "Forbidden: missing required scope 'read'"}; }

awaitable<std::string> answer_one(Request request, const hub::Caller& caller, const Services& services) {
    using Kind = Meaning::Kind;
    auto meaning = meaning_of(request.method, services.root);
    const auto id = request.id;
    if (meaning.kind == Kind::discover) {
        if (!caller.scopes.allow(hub::Scope::read))
            co_return id.empty() ? "" : schema::refusal(id, forbidden_read());
        co_return id.empty() ? "" : schema::answer(id, schema::to_json_text(hub::openrpc(services.root)));
    }
    if (meaning.kind == Kind::respond) meaning.path = "respond";
    if (meaning.path.empty())
        co_return id.empty() ? "" : schema::refusal(id, method_not_found(request.method));
    if (id.empty() && meaning.kind != Kind::respond) co_return "";

    OneDatum outlet(services, caller);
    const auto outcome =
        co_await hub::guarded(services.root.invoke(meaning.path, std::move(request.params), outlet));
    if (id.empty()) co_return "";
    if (!outcome) co_return schema::refusal(id, outcome.error());
    co_return schema::answer(id, outlet.datum.value_or("{}"));
}

}  // namespace

awaitable<std::string> answer_post(std::string body, hub::Caller caller, const Services& services) {
    auto frame = services.reader.read(body);
    std::string answers;
    for (auto& incoming : frame.requests) {
        std::string one;
        if (auto* refused = std::get_if<schema::Refused>(&incoming))
            one = schema::refusal(refused->id, refused->error);
        else one = co_await answer_one(std::move(std::get<Request>(incoming)), caller, services);
        if (one.empty()) continue;
        answers += (answers.empty() ? (frame.batch ? "[" : "") : ",") + one;
        if (answers.size() > services.limits.answer_bytes) {
            const auto error = schema::failed("too_large", "The answers of this batch exceed " +
                                                               std::to_string(services.limits.answer_bytes) +
                                                               " bytes; ask for less at once");
            co_return schema::refusal("null", error);
        }
    }
    co_return answers.empty() || !frame.batch ? answers : answers + "]";
}

std::optional<PostCall> streaming_call(const std::string& body, const Services& services) {
    auto frame = services.reader.read(body);
    if (frame.batch || frame.requests.size() != 1) return std::nullopt;
    auto* request = std::get_if<Request>(&frame.requests[0]);
    if (!request) return std::nullopt;
    auto meaning = meaning_of(request->method, services.root);
    if (meaning.kind != Meaning::Kind::stream) return std::nullopt;
    return PostCall{std::move(meaning.path), std::move(request->params)};
}

awaitable<void> stream_post(PostCall call, hub::Caller caller, const Services& services,
                            std::function<awaitable<void>(std::string)> deliver) {
    EventItems outlet(services, caller, deliver);
    const auto outcome =
        co_await hub::guarded(services.root.invoke(call.path, std::move(call.params), outlet));
    co_await deliver(outcome ? outlet.done() : outlet.error(outcome.error()));
}

}  // namespace plexus::rpc
