#include "daemon/rpc/items.hpp"

namespace plexus::rpc {

using schema::Failure;

namespace {

constexpr int deepest_nesting = 10;  // one call and eight calls within

// A question that arrives together with the subscription's id is not recognised by the TypeScript clients.
constexpr auto question_delay = std::chrono::milliseconds(100);

}  // namespace

Items::Items(const Services& services, const hub::Caller& caller)
    : services_(services),
      caller_(caller),
      provenance_{services.root.name()},
      opened_(services.clock.steady()) {}

std::string Items::metadata() const {
    return schema::item_metadata(provenance_, services_.root.hash(), services_.clock.seconds());
}

void Items::adopt(const hub::Target& target) {
    if (++nesting_ > deepest_nesting)
        throw Failure(schema::invalid_params("calls nested deeper than 8 levels"));
    provenance_ = target.provenance;
    if (provenance_.size() > 1) provenance_.erase(provenance_.begin());  // the root is not part of the way
    content_type_ = target.method->content_type;
}

awaitable<void> Items::send(std::string content, std::string content_type) {
    constexpr std::size_t envelope = 256;  // what the carrier puts around an item
    auto item = schema::data_item(metadata(), content_type.empty() ? content_type_ : content_type, content);
    if (item.size() + envelope > services_.limits.answer_bytes)
        throw Failure(
            schema::failed("too_large",
                           "The answer has " + std::to_string(content.size()) + " bytes, the limit is " +
                               std::to_string(services_.limits.answer_bytes) + "; ask for a page of it",
                           {{"bytes", content.size()}, {"limit", services_.limits.answer_bytes}}));
    return deliver(std::move(item));
}

awaitable<void> Items::progress(std::string message, std::optional<double> percentage) {
    return deliver(schema::progress_item(metadata(), message, percentage));
}

awaitable<Json> Items::ask(Json question, std::chrono::milliseconds timeout) {
    const auto waited = services_.clock.steady() - opened_;
    if (waited < question_delay) {
        asio::steady_timer rest(co_await asio::this_coro::executor, question_delay - waited);
        co_await rest.async_wait(hub::use_awaitable);
    }
    const auto id = schema::to_text(services_.ids.secret());
    co_await deliver(schema::request_item(metadata(), id, question, timeout.count()));
    co_return co_await services_.root.questions().await_answer(id, timeout);
}

}  // namespace plexus::rpc
