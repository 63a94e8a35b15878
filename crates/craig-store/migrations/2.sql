-- How context was handed out, for statistics on this machine. No code; the question only when the user asked for that.
CREATE TABLE context_uses (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id   INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    used_at      TEXT    NOT NULL,                   -- RFC 3339, UTC
    kind         TEXT    NOT NULL CHECK (kind IN ('chat', 'inline')),
    reason       TEXT,                               -- why there was none; NULL when there was some
    blocks       INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,                   -- of the text handed out
    whole_tokens INTEGER NOT NULL,                   -- of its files read whole, estimated
    best_score   REAL,
    mean_score   REAL,
    extract_us   INTEGER NOT NULL,                   -- microseconds of each step
    search_us    INTEGER NOT NULL,
    rank_us      INTEGER NOT NULL,
    format_us    INTEGER NOT NULL,
    total_us     INTEGER NOT NULL,
    query        TEXT,                               -- NULL unless texts are kept
    helpful      INTEGER,                            -- 1 or 0; NULL when nobody said
    note         TEXT
);
