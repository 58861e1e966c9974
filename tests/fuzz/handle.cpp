// Any text as a handle: what can be read prints to something that reads back the same.
#include "hub/handle.hpp"

#include <cstdlib>

using plexus::hub::Handle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto handle = Handle::parse({reinterpret_cast<const char*>(data), size});
    if (!handle) return 0;
    const auto again = Handle::parse(handle->text());
    if (!again || !(*again == *handle)) std::abort();
    return 0;
}
