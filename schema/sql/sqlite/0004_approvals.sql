-- Questions about tools, their one decision, and the record of who decided. Times are Unix milliseconds.
CREATE TABLE approvals (
    id           BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session      BLOB    NOT NULL,
    session_name TEXT    NOT NULL,
    stream       BLOB    NOT NULL,
    tool_name    TEXT    NOT NULL,
    tool_use_id  TEXT    NOT NULL,
    input        TEXT    NOT NULL,
    request      TEXT    NOT NULL,
    status       TEXT    NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'timed_out', 'cancelled')),
    response     TEXT,                      -- JSON: what the agent was told
    message      TEXT,
    created_at   INTEGER NOT NULL,
    resolved_at  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_pending ON approvals (created_at) WHERE status = 'pending';

-- Append-only. Each row's hash covers the row before it, so that nothing can be taken out unseen.
CREATE TABLE audit (
    number     INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    approval   BLOB    NOT NULL,
    decision   TEXT    NOT NULL,
    credential TEXT    NOT NULL,
    peer       TEXT    NOT NULL,
    tool_name  TEXT    NOT NULL,
    input_hash TEXT    NOT NULL,            -- sha256 of the input that was decided on
    message    TEXT,
    previous   TEXT    NOT NULL,
    hash       TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_by_approval ON audit (approval);
