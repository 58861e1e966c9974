// Any bytes as a frame: never a crash, and whatever is answered is JSON with the id as it came.
#include "schema/rpc.hpp"

#include <cstdlib>

using namespace plexus::schema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static FrameReader reader;
    const auto frame = reader.read({reinterpret_cast<const char*>(data), size});
    if (frame.requests.empty()) std::abort();
    for (const auto& incoming : frame.requests) {
        if (const auto* refused = std::get_if<Refused>(&incoming)) {
            if (!Json::accept(refusal(refused->id, refused->error))) std::abort();
        } else {
            const auto& request = std::get<Request>(incoming);
            if (!request.id.empty() && !Json::accept(answer(request.id, to_json_text(request.params))))
                std::abort();
        }
    }
    return 0;
}
