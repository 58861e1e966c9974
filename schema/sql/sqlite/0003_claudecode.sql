-- Sessions of the Claude Code CLI, what their nodes point at, and one stream per chat.
-- Times are Unix seconds. Ids of trees, nodes and streams are arbor's.
CREATE TABLE claudecode_sessions (
    id                BLOB    PRIMARY KEY CHECK (length(id) = 16),
    name              TEXT    NOT NULL UNIQUE,
    tree              BLOB    NOT NULL,
    head              BLOB    NOT NULL,          -- a message node, or the tree's root
    claude_session_id TEXT,                      -- the CLI's own session, if it has one yet
    cli_head          BLOB,                      -- the node at which the CLI's session stands
    working_dir       TEXT    NOT NULL,
    model             TEXT    NOT NULL,
    settings          TEXT    NOT NULL,          -- JSON: system prompt, tools, limits and the rest
    metadata          TEXT,
    forked_from       BLOB,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claudecode_sessions_by_tree ON claudecode_sessions (tree);

CREATE TABLE claudecode_blobs (
    id         BLOB    PRIMARY KEY CHECK (length(id) = 16),
    blob_type  TEXT    NOT NULL,                 -- message, content, thinking, tool_use, tool_result, block, passthrough
    node       BLOB    NOT NULL,
    data       TEXT    NOT NULL,                 -- JSON, as the CLI printed it
    details    TEXT,                             -- JSON: a tool's structured result
    cli_uuid   TEXT,                             -- of the entry in the CLI's own transcript: a checkpoint
    tokens_in  INTEGER,
    tokens_out INTEGER,
    cost_usd   REAL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claudecode_blobs_by_cli_uuid ON claudecode_blobs (cli_uuid) WHERE cli_uuid IS NOT NULL;
CREATE INDEX claudecode_blobs_by_node ON claudecode_blobs (node);

-- A chat, from the moment it was asked for. Its events are arbor's chain of the same id.
CREATE TABLE chat_streams (
    id          BLOB    PRIMARY KEY CHECK (length(id) = 16),
    number      INTEGER NOT NULL,                -- order of asking
    session     BLOB    NOT NULL,
    tree        BLOB    NOT NULL,
    root_node   BLOB,                            -- the user message the events hang under
    status      TEXT    NOT NULL,
    prompt      TEXT    NOT NULL,                -- JSON: a string or an array of blocks
    prompt_uuid TEXT    NOT NULL,
    ephemeral   INTEGER NOT NULL,
    process     TEXT,                            -- JSON: what to sweep if we die meanwhile
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    error       TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX chat_streams_by_number ON chat_streams (number);
CREATE INDEX chat_streams_by_session ON chat_streams (session, number);
CREATE INDEX chat_streams_open ON chat_streams (status) WHERE status IN ('queued', 'running', 'awaiting_approval');

-- Cursors that readers keep with us, by name.
CREATE TABLE cursors (
    stream     BLOB    NOT NULL,
    consumer   TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (stream, consumer)
) STRICT, WITHOUT ROWID;
