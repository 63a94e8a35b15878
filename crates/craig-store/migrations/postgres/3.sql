-- Sources to ingest, once or again and again, for workers. What their ingestions did is in ingestion_status.
CREATE TABLE jobs (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source        TEXT    NOT NULL,                  -- directory or URL, without credentials
    branch        TEXT    NOT NULL,                  -- branch, tag or commit; empty for the default branch
    name          TEXT,                              -- of the project; NULL for that of the source
    every_seconds BIGINT,                            -- NULL for once
    due_at        TEXT,                              -- RFC 3339, UTC; NULL when it is done, or given up
    failures      BIGINT NOT NULL DEFAULT 0,         -- in a row
    error         TEXT,                              -- of the last one
    holder        TEXT,                              -- the worker that runs it
    started_at    TEXT,                              -- RFC 3339, UTC, of its last run
    lease_until   TEXT,                              -- RFC 3339, UTC: then another worker may take it; NULL when nobody runs it
    UNIQUE (source, branch)
);
