-- Trees, their nodes, and the chains that streams are. Integer keys inside, 16-byte ids at the edges.
-- Times are Unix seconds, but for chat_events. No foreign keys on the hot tables: arbor.check looks instead.
CREATE TABLE trees (
    key          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    root         INTEGER,                     -- nodes.key; null only while the tree is being made
    ref_count    INTEGER NOT NULL CHECK (ref_count >= 0),
    state        INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),  -- active, scheduled_delete, archived, being purged
    scheduled_at INTEGER,
    archived_at  INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    metadata     TEXT
) STRICT;
CREATE INDEX trees_by_state ON trees (state);

CREATE TABLE tree_refs (
    tree       INTEGER NOT NULL REFERENCES trees (key) ON DELETE CASCADE,
    owner      TEXT    NOT NULL,
    count      INTEGER NOT NULL CHECK (count > 0),
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (tree, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX tree_refs_by_owner ON tree_refs (owner, tree);

CREATE TABLE nodes (
    key            INTEGER PRIMARY KEY,
    id             BLOB    NOT NULL CHECK (length(id) = 16),
    tree           INTEGER NOT NULL,
    parent         INTEGER,                   -- null: the root
    position       INTEGER NOT NULL,          -- among its siblings
    depth          INTEGER NOT NULL,          -- the root's is 0
    segment        INTEGER,                   -- the run it belongs to; null: it stands alone
    kind           INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),   -- text, external
    state          INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),  -- active, scheduled_delete, archived
    ref_count      INTEGER NOT NULL CHECK (ref_count >= 0),  -- the tree's own, unless ephemeral, and claims
    ephemeral      INTEGER NOT NULL,
    scheduled_at   INTEGER,
    archived_at    INTEGER,
    created_at     INTEGER NOT NULL,
    handle_plugin  BLOB,
    handle_version TEXT,
    handle_method  TEXT,
    handle_meta    TEXT,                      -- a JSON array; null when empty
    metadata       TEXT,
    content        TEXT                       -- of an external node: what a search finds it by
) STRICT;
CREATE UNIQUE INDEX nodes_by_id ON nodes (id);
CREATE INDEX nodes_by_parent ON nodes (parent, position, state, id);
CREATE INDEX nodes_by_tree ON nodes (tree);
CREATE INDEX nodes_by_segment ON nodes (segment, depth, id) WHERE segment IS NOT NULL;
CREATE INDEX nodes_fading ON nodes (state, scheduled_at) WHERE state <> 0;

CREATE TABLE node_refs (
    node       INTEGER NOT NULL REFERENCES nodes (key) ON DELETE CASCADE,
    owner      TEXT    NOT NULL,
    count      INTEGER NOT NULL CHECK (count > 0),
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (node, owner)
) STRICT, WITHOUT ROWID;

-- A run of nodes, each the child of the one before: a path is a few runs, not a walk.
CREATE TABLE segments (
    key         INTEGER PRIMARY KEY,
    tree        INTEGER NOT NULL,
    parent_node INTEGER                       -- the parent of its first node; null: it begins with the root
) STRICT;
CREATE INDEX segments_by_tree ON segments (tree);

-- A stream's events, hanging below a node as a chain of external nodes.
CREATE TABLE chains (
    key        INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    tree       INTEGER NOT NULL,
    node       INTEGER NOT NULL,
    plugin     BLOB    NOT NULL,              -- of the events' handles, with version and method
    version    TEXT    NOT NULL,
    method     TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX chains_by_node ON chains (node);
CREATE INDEX chains_by_tree ON chains (tree);

-- One row is event and node. Its parent is the event before it, or the node the chain hangs under.
CREATE TABLE chat_events (
    key        INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL CHECK (length(id) = 16),
    chain      INTEGER NOT NULL,
    seq        INTEGER NOT NULL,              -- 1, 2, 3 … without gaps
    type       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,              -- Unix milliseconds
    checksum   INTEGER NOT NULL,              -- CRC-32C of id, seq, type and payload
    payload    TEXT    NOT NULL               -- exactly as on the wire
) STRICT;
CREATE UNIQUE INDEX chat_events_by_id ON chat_events (id);
CREATE UNIQUE INDEX chat_events_by_seq ON chat_events (chain, seq);

-- Full-text search reads the text from nodes itself; the triggers keep the index at its side.
CREATE VIRTUAL TABLE node_search USING fts5 (
    content, content = 'nodes', content_rowid = 'key', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER node_search_insert AFTER INSERT ON nodes WHEN new.content <> '' BEGIN
    INSERT INTO node_search (rowid, content) VALUES (new.key, new.content);
END;
CREATE TRIGGER node_search_delete AFTER DELETE ON nodes WHEN old.content <> '' BEGIN
    INSERT INTO node_search (node_search, rowid, content) VALUES ('delete', old.key, old.content);
END;
CREATE TRIGGER node_search_update AFTER UPDATE OF content ON nodes BEGIN
    INSERT INTO node_search (node_search, rowid, content)
        SELECT 'delete', old.key, old.content WHERE old.content <> '';
    INSERT INTO node_search (rowid, content) SELECT new.key, new.content WHERE new.content <> '';
END;
