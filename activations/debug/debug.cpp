#include "activations/debug/debug.hpp"

namespace plexus::debug {

using hub::awaitable;
using hub::Scope;
using hub::Sink;

namespace {

awaitable<void> send_many(Sink<Probe> out, std::uint32_t count, std::size_t bytes) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const Probe probe{i, std::string(bytes, 'x')};
        co_await out.send(probe);
    }
}

}  // namespace

Debug::Debug(hub::Clock& clock)
    : Activation("_debug", "1.0.0", "Streams of known shape, for validators"), clock_(clock) {
    method("protocol_test", "Data, progress, data", Scope::read, &Debug::protocol_test);
    method("stream_test", "Slow, large, many or progress", Scope::read, &Debug::stream_test);
    method("error_test", "Each kind of failure", Scope::read, &Debug::error_test);
    auto varied = hub::make_method(this, "metadata_test", "Five data with varied metadata", Scope::read,
                                   &Debug::protocol_test);
    varied.run = [this](hub::Json, hub::Outlet& outlet) { return metadata_test(outlet); };
    add(std::move(varied));
}

awaitable<void> Debug::protocol_test(hub::NoParams, Sink<Probe> out) {
    co_await send_many(out, 1, 8);
    co_await out.progress("half way", 50.0);
    co_await send_many(out, 1, 8);
}

awaitable<void> Debug::stream_test(StreamParams params, Sink<Probe> out) {
    if (params.scenario == "slow") {
        for (std::uint32_t i = 0; i < 5; ++i) {
            if (i > 0) co_await clock_.sleep(std::chrono::milliseconds(120));
            const Probe probe{i, "slow"};
            co_await out.send(probe);
        }
    } else if (params.scenario == "large") {
        co_await send_many(out, 3, 10 * 1024);
    } else if (params.scenario == "many") {
        co_await send_many(out, 100, 8);
    } else if (params.scenario == "progress") {
        for (const double share : {0.0, 25.0, 50.0, 75.0, 100.0}) co_await out.progress("working", share);
    } else {
        throw schema::Failure(schema::invalid_params(
            "/scenario must be one of slow, large, many, progress, not " + params.scenario));
    }
}

awaitable<void> Debug::error_test(ErrorParams params, Sink<Probe> out) {
    if (params.error_type != "immediate") co_await send_many(out, 1, 8);
    auto error = schema::failed("debug", "An error, as asked for");
    error.recoverable = params.error_type == "recoverable";
    throw schema::Failure(std::move(error));
}

awaitable<void> Debug::metadata_test(hub::Outlet& outlet) {
    hub::Target target{nullptr, find_method("metadata_test"), {"", name()}, {}};
    for (std::uint32_t i = 0; i < 5; ++i) {
        target.provenance.push_back("part" + std::to_string(i));
        outlet.adopt(target);
        const Probe probe{i, "varied"};
        co_await outlet.send(schema::to_json_text(schema::encode(probe)));
    }
}

}  // namespace plexus::debug
