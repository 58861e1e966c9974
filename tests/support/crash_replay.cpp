#include "tests/support/crash_vfs.hpp"

#include <algorithm>

namespace plexus::tests {

namespace {

constexpr std::size_t sector = 512;

void put(std::string& content, std::size_t at, std::string_view bytes) {
    if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
    content.replace(at, bytes.size(), bytes);
}

}  // namespace

void Replay::apply(std::string& content, const Operation& operation) {
    const auto at = static_cast<std::size_t>(operation.at);
    if (operation.kind == Operation::Kind::truncate) content.resize(at);
    else put(content, at, operation.bytes);
}

bool Replay::advance() {
    if (position_ == operations_.size()) return false;
    const auto& operation = operations_[position_++];
    if (operation.file < 0) {
        sync_directory();
        return true;
    }
    auto& file = files_[operation.file];
    switch (operation.kind) {
        case Operation::Kind::create:
            file.name = operation.name;
            break;
        case Operation::Kind::write:
        case Operation::Kind::truncate:
            apply(file.seen, operation);
            file.pending.push_back(&operation);
            break;
        case Operation::Kind::sync:
            for (const auto* pending : file.pending) apply(file.durable, *pending);
            file.pending.clear();
            if (operation.directory) sync_directory();
            break;
        case Operation::Kind::failed_sync:  // the kernel forgets that these pages were ever dirty
            file.pending.clear();
            break;
        case Operation::Kind::remove:
            file.removed = true;
            if (operation.directory) sync_directory();
            break;
    }
    return true;
}

void Replay::sync_directory() {
    std::erase_if(files_, [](const auto& entry) { return entry.second.removed; });
    for (auto& [number, file] : files_) file.entered = true;
}

Image Replay::crash(Loss loss, std::mt19937& random) const {
    constexpr double shares[] = {0.1, 0.5, 0.9};
    const double kept = shares[random() % 3];
    std::bernoulli_distribution coin(0.5);
    Image image;
    for (const auto& [number, file] : files_) {
        const bool there = loss == Loss::nothing    ? !file.removed
                           : loss == Loss::unsynced ? file.entered
                           : file.entered           ? !file.removed || coin(random)
                                                    : !file.removed && coin(random);
        if (!there) continue;
        image[file.name] = loss == Loss::nothing    ? file.seen
                           : loss == Loss::unsynced ? file.durable
                                                    : torn(file, kept, random);
    }
    return image;
}

std::string Replay::torn(const File& file, double kept, std::mt19937& random) {
    std::bernoulli_distribution keep(kept);
    auto content = file.durable;
    for (const auto* operation : file.pending) {
        if (operation->kind == Operation::Kind::truncate) {
            if (keep(random)) apply(content, *operation);
            continue;
        }
        const std::string_view bytes = operation->bytes;
        const auto start = static_cast<std::size_t>(operation->at);
        for (std::size_t from = 0; from < bytes.size();) {
            const auto length = std::min(sector - (start + from) % sector, bytes.size() - from);
            if (keep(random)) put(content, start + from, bytes.substr(from, length));
            from += length;
        }
    }
    return content;
}

}  // namespace plexus::tests
