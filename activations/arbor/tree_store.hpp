// Trees and who holds them. Synchronous: for work inside one transaction, on a storage thread.
#pragma once

#include "activations/arbor/rows.hpp"

#include <map>
#include <vector>

namespace plexus::arbor {

using Owners = std::map<std::string, std::int64_t>;

struct NewTree {
    TreeId id{};
    NodeId root{};
    std::string owner = "default";
    std::optional<Json> metadata;
};

template <class T>
struct Page {
    std::vector<T> items;
    std::optional<Cursor> next;  // absent: that was the last
};

class TreeStore {
public:
    explicit TreeStore(hub::Transaction& transaction) : sql_(transaction) {}

    // With an empty text node as its root, held once by its owner.
    void create(const NewTree& tree, Seconds now);
    std::optional<TreeRow> find(TreeId id);
    TreeRow get(TreeId id);           // throws not_found
    TreeRow get_writable(TreeId id);  // and `archived`
    Owners owners(Key tree);

    void set_metadata(TreeId id, const Json& metadata, Seconds now);
    void touch(Key tree, Seconds now);

    // How many references the owner has afterwards. A claim brings a scheduled tree back.
    std::int64_t claim(TreeId id, const std::string& owner, std::int64_t count, Seconds now);
    // The last one to let go leaves the tree scheduled for deletion.
    std::int64_t release(TreeId id, const std::string& owner, std::int64_t count, Seconds now);
    // Whoever holds it, it goes.
    void schedule(const TreeRow& tree, Seconds now);

    Page<TreeId> list(State state, const std::optional<std::string>& owner, Cursor from, std::int64_t limit);
    // Those whose metadata holds all the given members, at any depth below them.
    Page<TreeId> with_metadata(const Json& wanted, Cursor from, std::int64_t limit);

private:
    hub::Transaction& sql_;
};

// Whether every member of `wanted` is in `metadata`, nested objects alike.
bool contains(const Json& metadata, const Json& wanted);

}  // namespace plexus::arbor
