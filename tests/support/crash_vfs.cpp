#include "tests/support/crash_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

namespace plexus::tests {

namespace {

struct Handle;

// SQLite's shared memory beside a log, and the locks that go with it.
struct Shared {
    std::vector<std::unique_ptr<char[]>> regions;
    int locks[SQLITE_SHM_NLOCK] = {};  // how many share it; -1: one has it alone
    int users = 0;
};

struct File {
    int number;
    std::string bytes{};
    std::set<Handle*> readers{};  // whoever holds a lock at all
    Handle* reserved = nullptr;
    Handle* exclusive = nullptr;
    Shared shared{};
};

}  // namespace

struct CrashDisk::State {
    std::mutex mutex;
    std::string name;
    std::map<std::string, std::shared_ptr<File>> files;
    bool records = true;
    std::vector<Operation> operations;
    std::vector<Fault> faults;
    std::size_t counts[3] = {};
    bool failed = false;
    int last_error = 0;
    std::chrono::microseconds every_sync{0};
    int numbers = 0;
    sqlite3_vfs vfs{};

    bool fails(Fault::Kind kind) {
        const auto count = ++counts[static_cast<std::size_t>(kind)];
        for (const auto& fault : faults) {
            if (fault.kind != kind || (fault.lasting ? count < fault.nth : count != fault.nth)) continue;
            last_error = fault.error;
            return failed = true;
        }
        return false;
    }
    void record(Operation operation) {
        if (records) operations.push_back(std::move(operation));
    }
};

namespace {

using Kind = Operation::Kind;

struct Handle : sqlite3_file {
    CrashDisk::State* disk;
    std::shared_ptr<File> file;
    int level = SQLITE_LOCK_NONE;
    bool maps = false;
    bool new_name = false;          // SQLite syncs the directory with the first sync of a new journal or log
    unsigned shares = 0, owns = 0;  // slots of the shared memory, as bits
};

Handle& of(sqlite3_file* file) { return *static_cast<Handle*>(file); }
CrashDisk::State& of(sqlite3_vfs* vfs) { return *static_cast<CrashDisk::State*>(vfs->pAppData); }
std::size_t size(std::int64_t number) { return static_cast<std::size_t>(number); }

std::string base_name(const char* path) {
    const std::string_view text(path);
    const auto slash = text.rfind('/');
    return std::string(slash == text.npos ? text : text.substr(slash + 1));
}

int close(sqlite3_file* f) {
    auto& handle = of(f);
    {
        std::scoped_lock lock(handle.disk->mutex);
        handle.file->readers.erase(&handle);
        if (handle.file->reserved == &handle) handle.file->reserved = nullptr;
        if (handle.file->exclusive == &handle) handle.file->exclusive = nullptr;
    }
    handle.~Handle();
    return SQLITE_OK;
}

int read(sqlite3_file* f, void* to, int length, sqlite3_int64 at) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    if (handle.disk->fails(Fault::Kind::read)) return SQLITE_IOERR_READ;
    const auto& bytes = handle.file->bytes;
    const auto have = size(at) < bytes.size() ? std::min(bytes.size() - size(at), size(length)) : 0;
    std::memcpy(to, bytes.data() + (have ? size(at) : 0), have);
    std::memset(static_cast<char*>(to) + have, 0, size(length) - have);
    return have == size(length) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

void change(Handle& handle, std::string_view bytes, std::int64_t at) {
    auto& content = handle.file->bytes;
    if (content.size() < size(at) + bytes.size()) content.resize(size(at) + bytes.size());
    std::memcpy(content.data() + at, bytes.data(), bytes.size());
    handle.disk->record({Kind::write, handle.file->number, {}, at, std::string(bytes)});
}

// What fails has half happened.
int write(sqlite3_file* f, const void* from, int length, sqlite3_int64 at) {
    auto& handle = of(f);
    const std::string_view bytes(static_cast<const char*>(from), size(length));
    std::scoped_lock lock(handle.disk->mutex);
    const bool fails = handle.disk->fails(Fault::Kind::write);
    change(handle, fails ? bytes.substr(0, bytes.size() / 2) : bytes, at);
    if (!fails) return SQLITE_OK;
    return handle.disk->last_error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int truncate(sqlite3_file* f, sqlite3_int64 to) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    if (handle.disk->fails(Fault::Kind::write)) return SQLITE_IOERR_TRUNCATE;
    handle.file->bytes.resize(size(to));
    handle.disk->record({Kind::truncate, handle.file->number, {}, to});
    return SQLITE_OK;
}

int sync(sqlite3_file* f, int) {
    auto& handle = of(f);
    auto& disk = *handle.disk;
    if (disk.every_sync.count() > 0) std::this_thread::sleep_for(disk.every_sync);
    std::scoped_lock lock(disk.mutex);
    const bool fails = disk.fails(Fault::Kind::sync);
    const bool directory = !fails && std::exchange(handle.new_name, false);
    disk.record({fails ? Kind::failed_sync : Kind::sync, handle.file->number, {}, 0, {}, directory});
    return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int file_size(sqlite3_file* f, sqlite3_int64* answer) {
    std::scoped_lock lock(of(f).disk->mutex);
    *answer = static_cast<sqlite3_int64>(of(f).file->bytes.size());
    return SQLITE_OK;
}

int lock_file(sqlite3_file* f, int level) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    auto& file = *handle.file;
    if (level <= handle.level) return SQLITE_OK;
    const auto others = [&](Handle* holder) { return holder && holder != &handle; };
    if (others(file.exclusive)) return SQLITE_BUSY;
    if (level >= SQLITE_LOCK_RESERVED && others(file.reserved)) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_EXCLUSIVE && file.readers.size() > 1) return SQLITE_BUSY;
    file.readers.insert(&handle);
    if (level >= SQLITE_LOCK_RESERVED) file.reserved = &handle;
    if (level == SQLITE_LOCK_EXCLUSIVE) file.exclusive = &handle;
    handle.level = level;
    return SQLITE_OK;
}

int unlock_file(sqlite3_file* f, int level) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    auto& file = *handle.file;
    if (level < SQLITE_LOCK_RESERVED && file.reserved == &handle) file.reserved = nullptr;
    if (level < SQLITE_LOCK_EXCLUSIVE && file.exclusive == &handle) file.exclusive = nullptr;
    if (level == SQLITE_LOCK_NONE) file.readers.erase(&handle);
    handle.level = std::min(handle.level, level);
    return SQLITE_OK;
}

int check_reserved(sqlite3_file* f, int* answer) {
    std::scoped_lock lock(of(f).disk->mutex);
    *answer = of(f).file->reserved != nullptr;
    return SQLITE_OK;
}

int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int traits(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }  // as SQLite assumes of a real disk

int map_shared(sqlite3_file* f, int region, int bytes, int extend, void volatile** answer) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    auto& shared = handle.file->shared;
    if (!std::exchange(handle.maps, true)) ++shared.users;
    while (extend && shared.regions.size() <= size(region))
        shared.regions.push_back(std::make_unique<char[]>(size(bytes)));
    *answer = size(region) < shared.regions.size() ? shared.regions[size(region)].get() : nullptr;
    return SQLITE_OK;
}

int lock_shared(sqlite3_file* f, int first, int count, int flags) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    auto& slots = handle.file->shared.locks;
    const bool alone = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    if (flags & SQLITE_SHM_LOCK)
        for (int i = first; i < first + count; ++i)
            if (alone ? slots[i] != 0 : slots[i] < 0) return SQLITE_BUSY;
    for (int i = first; i < first + count; ++i) {
        const unsigned bit = 1U << i;
        auto& held = alone ? handle.owns : handle.shares;
        if (((held & bit) != 0) == ((flags & SQLITE_SHM_LOCK) != 0)) continue;
        held ^= bit;
        if (alone) slots[i] = flags & SQLITE_SHM_LOCK ? -1 : 0;
        else slots[i] += flags & SQLITE_SHM_LOCK ? 1 : -1;
    }
    return SQLITE_OK;
}

void barrier(sqlite3_file* f) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::scoped_lock lock(of(f).disk->mutex);
}

int unmap_shared(sqlite3_file* f, int) {
    auto& handle = of(f);
    std::scoped_lock lock(handle.disk->mutex);
    if (std::exchange(handle.maps, false) && --handle.file->shared.users == 0) handle.file->shared = {};
    return SQLITE_OK;
}

constexpr sqlite3_io_methods methods = {2,       close,        read,      write,       truncate,
                                        sync,    file_size,    lock_file, unlock_file, check_reserved,
                                        control, sector_size,  traits,    map_shared,  lock_shared,
                                        barrier, unmap_shared, nullptr,   nullptr};

int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* f, int flags, int* out) {
    auto& disk = of(vfs);
    std::scoped_lock lock(disk.mutex);
    f->pMethods = nullptr;
    const auto name = path ? base_name(path) : "temporary " + std::to_string(disk.numbers);
    auto found = disk.files.find(name);
    const bool made = found == disk.files.end();
    if (made) {
        if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        found = disk.files.emplace(name, std::make_shared<File>(File{.number = disk.numbers++})).first;
        disk.record({Kind::create, found->second->number, name});
    }
    auto* handle = new (f) Handle{};
    handle->pMethods = &methods;
    handle->disk = &disk;
    handle->file = found->second;
    handle->new_name = made && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
    if (flags & SQLITE_OPEN_DELETEONCLOSE) disk.files.erase(found);
    if (out) *out = flags;
    return SQLITE_OK;
}

int remove(sqlite3_vfs* vfs, const char* path, int sync_directory) {
    auto& disk = of(vfs);
    std::scoped_lock lock(disk.mutex);
    const auto found = disk.files.find(base_name(path));
    if (found == disk.files.end()) return SQLITE_IOERR_DELETE_NOENT;
    disk.record({Kind::remove, found->second->number, found->first, 0, {}, sync_directory != 0});
    disk.files.erase(found);
    return SQLITE_OK;
}

int access(sqlite3_vfs* vfs, const char* path, int, int* answer) {
    std::scoped_lock lock(of(vfs).mutex);
    *answer = of(vfs).files.contains(base_name(path));
    return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int room, char* answer) {
    sqlite3_snprintf(room, answer, "%s", path);
    return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int length, char* to) {
    auto* real = sqlite3_vfs_find(nullptr);
    return real->xRandomness(real, length, to);
}

int sleep(sqlite3_vfs*, int microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    return microseconds;
}

int now(sqlite3_vfs*, double* answer) {
    auto* real = sqlite3_vfs_find(nullptr);
    return real->xCurrentTime(real, answer);
}

int last_error(sqlite3_vfs* vfs, int, char*) {
    std::scoped_lock lock(of(vfs).mutex);
    return of(vfs).last_error;
}

}  // namespace

CrashDisk::CrashDisk(Image image, std::vector<Fault> faults) : state_(std::make_unique<State>()) {
    static std::atomic<int> disks = 0;
    auto& disk = *state_;
    disk.name = "crash " + std::to_string(++disks);
    disk.records = image.empty();
    disk.faults = std::move(faults);
    for (auto& [name, bytes] : image)
        disk.files[name] = std::make_shared<File>(File{.number = disk.numbers++, .bytes = std::move(bytes)});
    disk.vfs.iVersion = 1;
    disk.vfs.szOsFile = sizeof(Handle);
    disk.vfs.mxPathname = 1024;
    disk.vfs.zName = disk.name.c_str();
    disk.vfs.pAppData = &disk;
    disk.vfs.xOpen = open;
    disk.vfs.xDelete = remove;
    disk.vfs.xAccess = access;
    disk.vfs.xFullPathname = full_path;
    disk.vfs.xRandomness = randomness;
    disk.vfs.xSleep = sleep;
    disk.vfs.xCurrentTime = now;
    disk.vfs.xGetLastError = last_error;
    sqlite3_vfs_register(&disk.vfs, 0);
}

CrashDisk::~CrashDisk() { sqlite3_vfs_unregister(&state_->vfs); }

const std::string& CrashDisk::vfs() const { return state_->name; }

std::size_t CrashDisk::position() const {
    std::scoped_lock lock(state_->mutex);
    return state_->operations.size();
}

std::vector<Operation> CrashDisk::operations() const {
    std::scoped_lock lock(state_->mutex);
    return state_->operations;
}

bool CrashDisk::failed() const {
    std::scoped_lock lock(state_->mutex);
    return state_->failed;
}

void CrashDisk::heal() {
    std::scoped_lock lock(state_->mutex);
    state_->faults.clear();
}

void CrashDisk::sync_directory() {
    std::scoped_lock lock(state_->mutex);
    state_->record({Kind::sync, -1, {}, 0, {}, true});
}

void CrashDisk::slow_down(std::chrono::microseconds every_sync) { state_->every_sync = every_sync; }

}  // namespace plexus::tests
