#include "daemon/storage/log_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <vector>

namespace plexus::storage {

namespace {

constexpr std::int64_t piece_bytes = 1 << 16;  // SQLite's own VFS takes less than 128 KiB at a time

void require(int code, std::string_view doing) {
    if (code != SQLITE_OK) throw schema::Failure(trouble(nullptr, code, doing).error);
}

// SQLite's names carry hidden fields that a VFS may look at.
struct Name {
    explicit Name(const std::string& file)
        : text(sqlite3_create_filename(file.c_str(), (file + "-journal").c_str(), (file + "-wal").c_str(), 0,
                                       nullptr)) {}
    ~Name() { sqlite3_free_filename(text); }
    const char* log() const { return sqlite3_filename_wal(text); }
    decltype(sqlite3_create_filename("", "", "", 0, nullptr)) text;
};

struct File {
    File(sqlite3_vfs* vfs, const char* name) : memory(static_cast<std::size_t>(vfs->szOsFile)) {
        int flags = 0;
        require(vfs->xOpen(vfs, name, get(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, &flags),
                "open the log");
    }
    ~File() {
        if (get()->pMethods) get()->pMethods->xClose(get());
    }
    sqlite3_file* get() { return reinterpret_cast<sqlite3_file*>(memory.data()); }
    const sqlite3_io_methods* operator->() { return get()->pMethods; }
    std::vector<char> memory;
};

}  // namespace

std::int64_t settle_log(const Place& place) {
    auto* vfs = sqlite3_vfs_find(place.vfs.empty() ? nullptr : place.vfs.c_str());
    const Name name(place.file);
    int exists = 0;
    require(vfs->xAccess(vfs, name.log(), SQLITE_ACCESS_EXISTS, &exists), "look for the log");
    if (!exists) return 0;

    File log(vfs, name.log());
    sqlite3_int64 size = 0;
    require(log->xFileSize(log.get(), &size), "measure the log");
    std::vector<char> piece(static_cast<std::size_t>(std::min<std::int64_t>(size, piece_bytes)));
    for (std::int64_t at = 0; at < size; at += piece_bytes) {
        const int length = static_cast<int>(std::min<std::int64_t>(size - at, piece_bytes));
        require(log->xRead(log.get(), piece.data(), length, at), "read the log");
        require(log->xWrite(log.get(), piece.data(), length, at), "write the log again");
    }
    if (size > 0) require(log->xSync(log.get(), SQLITE_SYNC_FULL), "sync the log");
    return size;
}

}  // namespace plexus::storage
