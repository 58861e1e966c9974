#include "daemon/cli/client.hpp"

#include "daemon/cli/exit.hpp"
#include "schema/rpc.hpp"

#include <charconv>

namespace plexus::cli {

using schema::Code;
using schema::Error;
using schema::Failure;

namespace {

bool is_last(const Json& item) {
    const auto type = item.value("type", "");
    return type == "done" || type == "error";
}

// A stream item carries its code as text, an answer as a number.
Error error_in(const Json& said) {
    Error error;
    const auto code = said.value("code", Json());
    int number = static_cast<int>(Code::failed);
    if (code.is_number_integer()) number = code.get<int>();
    if (code.is_string()) {
        const auto& text = code.get_ref<const std::string&>();
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    error.code = static_cast<Code>(number);
    error.message = said.value("message", "The daemon gave no reason");
    error.data = said.value("data", Json());
    const auto& reason = said.contains("reason") ? said : error.data;
    error.reason = reason.is_object() ? reason.value("reason", "failed") : "failed";
    return error;
}

std::optional<double> percentage_in(const Json& item) {
    const auto found = item.find("percentage");
    return found != item.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

Item item_in(Json said) {
    const auto type = said.value("type", "");
    if (type == "progress") return Progress{said.value("message", ""), percentage_in(said)};
    if (type == "request")
        return Question{said.value("request_id", ""), said.value("request", Json::object())};
    return Datum{said.value("content_type", ""), said.value("content", Json())};
}

}  // namespace

awaitable<void> Client::open(Place place, Token token) {
    place_ = place;
    wire_ = co_await open_wire(std::move(place), std::move(token));
    tasks_.spawn([this] { return read_loop(); });
    const auto info = co_await ask("_info");
    hub_name_ = info.value("backend", "substrate");
    hub_version_ = info.value("version", "?");
}

awaitable<void> Client::close() {
    if (wire_) wire_->close();
    co_await tasks_.cancel_and_join();
}

awaitable<Client::Stream> Client::call(std::string method, Json params) {
    const bool bare = method.find('.') == method.npos;
    Json wrapped = bare ? Json() : Json{{"method", method}, {"params", std::move(params)}};
    const auto answer = bare ? co_await request(method, std::move(params))
                             : co_await request(hub_name_ + ".call", std::move(wrapped));
    if (!answer.is_number_unsigned())
        throw Failure(schema::failed("protocol", "The daemon's answer to " + method + " is no stream"));
    co_return Stream(*this, answer.get<std::uint64_t>());
}

awaitable<Json> Client::ask(std::string method, Json params) {
    auto stream = co_await call(std::move(method), std::move(params));
    Json content;
    while (auto item = co_await stream.next())
        if (auto* datum = std::get_if<Datum>(&*item)) content = std::move(datum->content);
    co_return content;
}

awaitable<void> Client::respond(std::string question, Json answer) {
    Json params = {{"request_id", std::move(question)}, {"response_data", std::move(answer)}};
    co_await request(hub_name_ + ".respond", std::move(params));
}

awaitable<Json> Client::request(std::string method, Json params) {
    const auto id = ++last_id_;
    const Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
    ++unanswered_;
    changed_.notify();  // the reader may be waiting for room
    co_await write(schema::to_json_text(message));
    while (!answers_.contains(id) && !lost_) co_await changed_.wait();
    --unanswered_;
    if (!answers_.contains(id)) throw Failure(*lost_);
    const auto answer = std::move(answers_.extract(id).mapped());
    if (answer.contains("error")) throw Failure(error_in(answer["error"]));
    co_return answer.value("result", Json());
}

awaitable<void> Client::write(std::string message) {
    while (writing_) co_await changed_.wait();
    writing_ = true;
    std::optional<Error> problem;
    try {
        co_await wire_->write(std::move(message));
    } catch (const boost::system::system_error& error) {
        problem = unreachable("The connection to " + place_.text() + " is lost: " + error.code().message());
    }
    writing_ = false;
    changed_.notify();
    if (problem) throw Failure(std::move(*problem));
}

awaitable<void> Client::read_loop() {
    try {
        for (;;) {
            take(Json::parse(co_await wire_->read()));
            changed_.notify();
            while (unread_ >= most_unread && unanswered_ == 0) co_await changed_.wait();
        }
    } catch (const std::exception& problem) {
        lost_ = unreachable("The connection to " + place_.text() + " is lost: " + problem.what());
    }
    changed_.notify();
}

void Client::take(Json message) {
    if (message.contains("id") && message["id"].is_number_unsigned()) {
        answers_.emplace(message["id"].get<std::uint64_t>(), std::move(message));
        return;
    }
    const Json::json_pointer subscription("/params/subscription"), result("/params/result");
    // `respond` is closed by a notification on its own answer, which is no number; nobody waits for it.
    if (!message.contains(subscription) || !message[subscription].is_number_unsigned()) return;
    if (!message.contains(result) || !message[result].is_object()) return;
    streams_[message[subscription].get<std::uint64_t>()].push_back(std::move(message[result]));
    ++unread_;
}

awaitable<std::optional<Item>> Client::Stream::next() {
    auto& client = client_;
    while (client.streams_[id_].empty() && !client.lost_) co_await client.changed_.wait();
    auto& items = client.streams_[id_];
    if (items.empty()) throw Failure(*client.lost_);
    auto said = std::move(items.front());
    items.pop_front();
    --client.unread_;
    client.changed_.notify();
    if (!is_last(said)) co_return item_in(std::move(said));
    client.streams_.erase(id_);
    if (said["type"] == "error") throw Failure(error_in(said));
    co_return std::nullopt;
}

awaitable<void> Client::Stream::ended() {
    const auto over = [this] {
        const auto& items = client_.streams_[id_];
        return client_.lost_ || (!items.empty() && is_last(items.back()));
    };
    while (!over()) co_await client_.changed_.wait();
}

}  // namespace plexus::cli
