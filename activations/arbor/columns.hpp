// The columns that read_tree(), read_node() and read_content() of rows.hpp expect, in their order.
#pragma once

#define ARBOR_TREE_COLUMNS \
    "key, id, root, ref_count, state, scheduled_at, archived_at, created_at, updated_at, metadata"
#define ARBOR_NODE_COLUMNS                                                                        \
    "nodes.key, nodes.id, nodes.tree, nodes.parent, nodes.position, nodes.depth, nodes.segment, " \
    "nodes.kind, nodes.state, nodes.ref_count, nodes.ephemeral, nodes.scheduled_at, "             \
    "nodes.archived_at, nodes.created_at"
#define ARBOR_CONTENT_COLUMNS                                                               \
    ", nodes.handle_plugin, nodes.handle_version, nodes.handle_method, nodes.handle_meta, " \
    "nodes.metadata, nodes.content"
