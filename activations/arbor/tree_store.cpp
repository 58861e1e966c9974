#include "activations/arbor/tree_store.hpp"

#include "activations/arbor/columns.hpp"
#include "activations/arbor/failures.hpp"
#include "schema/rpc.hpp"

namespace plexus::arbor {

namespace {

using hub::Statement;

const Statement insert_tree{"insert_tree",
                            "INSERT INTO trees (id, ref_count, state, created_at, updated_at, metadata) "
                            "VALUES ($1, 1, 0, $2, $2, $3) RETURNING key"};
const Statement insert_root{
    "insert_root",
    "INSERT INTO nodes (id, tree, position, depth, kind, state, ref_count, ephemeral, "
    "created_at, content) VALUES ($1, $2, 0, 0, 0, 0, 1, 0, $3, '') RETURNING key"};
const Statement set_root{"set_root", "UPDATE trees SET root = $2 WHERE key = $1"};
const Statement find_tree{"find_tree",
                          "SELECT " ARBOR_TREE_COLUMNS " FROM trees WHERE id = $1 AND state < 3"};
const Statement find_owners{"find_tree_owners",
                            "SELECT owner, count FROM tree_refs WHERE tree = $1 ORDER BY owner"};
const Statement find_owner{"find_tree_owner", "SELECT count FROM tree_refs WHERE tree = $1 AND owner = $2"};
const Statement put_owner{"put_tree_owner",
                          "INSERT INTO tree_refs (tree, owner, count, claimed_at) VALUES ($1, $2, $3, $4) "
                          "ON CONFLICT (tree, owner) DO UPDATE SET count = excluded.count"};
const Statement drop_owner{"drop_tree_owner", "DELETE FROM tree_refs WHERE tree = $1 AND owner = $2"};
const Statement drop_owners{"drop_tree_owners", "DELETE FROM tree_refs WHERE tree = $1"};
const Statement update_metadata{"update_tree_metadata",
                                "UPDATE trees SET metadata = $2, updated_at = $3 WHERE key = $1"};
const Statement update_time{"touch_tree",
                            "UPDATE trees SET updated_at = $2 WHERE key = $1 AND updated_at <> $2"};
const Statement update_refs{"update_tree_refs",
                            "UPDATE trees SET ref_count = $2, state = $3, scheduled_at = $4 WHERE key = $1"};
const Statement list_trees{"list_trees",
                           "SELECT key, id FROM trees WHERE state = $1 AND key > $2 ORDER BY key LIMIT $3"};
const Statement list_owned{
    "list_owned_trees",
    "SELECT trees.key, trees.id FROM tree_refs JOIN trees ON trees.key = tree_refs.tree "
    "WHERE tree_refs.owner = $4 AND tree_refs.tree > $2 AND trees.state = $1 "
    "ORDER BY tree_refs.tree LIMIT $3"};
const Statement list_described{"list_described_trees",
                               "SELECT key, id, metadata FROM trees WHERE key > $1 AND state < 2 "
                               "AND metadata IS NOT NULL ORDER BY key"};

constexpr std::size_t most_metadata = 1 << 20;

std::int64_t one_integer(hub::Rows rows) { return rows.next() ? rows->integer(0) : 0; }

std::string metadata_text(const Json& metadata) {
    auto text = schema::to_json_text(metadata);
    if (text.size() > most_metadata)
        throw too_large("Metadata of " + std::to_string(text.size()) +
                            " bytes is more than a tree may have (" + std::to_string(most_metadata) + ")",
                        most_metadata);
    return text;
}

}  // namespace

void TreeStore::create(const NewTree& tree, Seconds now) {
    if (tree.owner.empty()) throw invalid("owner_id must not be empty");
    std::optional<std::string> metadata;
    if (tree.metadata) metadata = metadata_text(*tree.metadata);
    const auto key = one_integer(sql_.query(insert_tree, tree.id, now, metadata));
    const auto root = one_integer(sql_.query(insert_root, tree.root, key, now));
    sql_.execute(set_root, key, root);
    sql_.execute(put_owner, key, tree.owner, 1, now);
}

std::optional<TreeRow> TreeStore::find(TreeId id) {
    auto rows = sql_.query(find_tree, id);
    if (!rows.next()) return std::nullopt;
    return read_tree(*rows);
}

TreeRow TreeStore::get(TreeId id) {
    auto tree = find(id);
    if (!tree) throw unknown(id);
    return std::move(*tree);
}

TreeRow TreeStore::get_writable(TreeId id) {
    auto tree = get(id);
    if (tree.state == State::archived) throw archived(id);
    return tree;
}

Owners TreeStore::owners(Key tree) {
    Owners owners;
    for (const auto& row : sql_.query(find_owners, tree)) owners[row.get<std::string>(0)] = row.integer(1);
    return owners;
}

void TreeStore::set_metadata(TreeId id, const Json& metadata, Seconds now) {
    sql_.execute(update_metadata, get_writable(id).key, metadata_text(metadata), now);
}

void TreeStore::touch(Key tree, Seconds now) { sql_.execute(update_time, tree, now); }

std::int64_t TreeStore::claim(TreeId id, const std::string& owner, std::int64_t count, Seconds now) {
    if (owner.empty()) throw invalid("owner_id must not be empty");
    const auto tree = get(id);
    if (tree.state == State::archived)
        throw schema::Failure(schema::failed("archived", "Cannot claim archived tree " + to_text(id),
                                             {{"tree_id", to_text(id)}}));
    const auto total = one_integer(sql_.query(find_owner, tree.key, owner)) + count;
    sql_.execute(put_owner, tree.key, owner, total, now);
    sql_.execute(update_refs, tree.key, tree.ref_count + count, 0, nullptr);
    return total;
}

std::int64_t TreeStore::release(TreeId id, const std::string& owner, std::int64_t count, Seconds now) {
    const auto tree = get(id);
    const auto held = one_integer(sql_.query(find_owner, tree.key, owner));
    if (held == 0)
        throw schema::Failure(schema::not_found("No reference found for owner " + owner,
                                                {{"tree_id", to_text(id)}, {"owner_id", owner}}));
    if (held < count)
        throw schema::Failure(schema::failed(
            "conflict",
            "Cannot release " + std::to_string(count) + " references, owner only has " + std::to_string(held),
            {{"tree_id", to_text(id)}, {"owner_id", owner}, {"held", held}}));
    if (held == count) sql_.execute(drop_owner, tree.key, owner);
    else sql_.execute(put_owner, tree.key, owner, held - count, now);
    const auto left = tree.ref_count - count;
    if (left == 0) schedule(tree, now);
    else sql_.execute(update_refs, tree.key, left, 0, nullptr);
    return held - count;
}

void TreeStore::schedule(const TreeRow& tree, Seconds now) {
    sql_.execute(drop_owners, tree.key);
    sql_.execute(update_refs, tree.key, 0, static_cast<int>(State::scheduled_delete), now);
}

Page<TreeId> TreeStore::list(State state, const std::optional<std::string>& owner, Cursor from,
                             std::int64_t limit) {
    Page<TreeId> page;
    Key last = from.at;
    const auto number = static_cast<int>(state);
    auto rows = owner ? sql_.query(list_owned, number, from.at, limit + 1, *owner)
                      : sql_.query(list_trees, number, from.at, limit + 1);
    for (const auto& row : rows) {
        if (std::ssize(page.items) == limit) {
            page.next = Cursor{last};
            break;
        }
        last = row.integer(0);
        page.items.push_back(row.get<TreeId>(1));
    }
    return page;
}

Page<TreeId> TreeStore::with_metadata(const Json& wanted, Cursor from, std::int64_t limit) {
    Page<TreeId> page;
    Key last = from.at;
    for (const auto& row : sql_.query(list_described, from.at)) {
        if (!contains(Json::parse(row.text(2)), wanted)) continue;
        if (std::ssize(page.items) == limit) {
            page.next = Cursor{last};
            break;
        }
        last = row.integer(0);
        page.items.push_back(row.get<TreeId>(1));
    }
    return page;
}

bool contains(const Json& metadata, const Json& wanted) {
    if (!wanted.is_object() || !metadata.is_object()) return metadata == wanted;
    for (const auto& [key, value] : wanted.items()) {
        const auto found = metadata.find(key);
        if (found == metadata.end() || !contains(*found, value)) return false;
    }
    return true;
}

}  // namespace plexus::arbor
