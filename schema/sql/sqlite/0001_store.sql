-- What the store keeps about itself: which migrations made this database, and how many commits it holds.
CREATE TABLE schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,  -- sha256 of the file
    applied_at INTEGER NOT NULL   -- seconds since 1970
) STRICT;

-- Raised by every commit: after a failed one it tells whether the transaction is in.
CREATE TABLE commits (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    n  INTEGER NOT NULL
) STRICT;
INSERT INTO commits (id, n) VALUES (1, 0);
