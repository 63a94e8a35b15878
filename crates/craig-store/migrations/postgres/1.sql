-- The tables of ../1.sql to ../8.sql. Numbers are 64 bits wide, times RFC 3339 in UTC, as in SQLite: the statements are the same.
CREATE TABLE craig (
    version  BIGINT NOT NULL,                        -- of these tables
    identity TEXT   NOT NULL                         -- random: tells this database from every other
);

CREATE TABLE projects (
    id             BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           TEXT    NOT NULL UNIQUE,
    reference      TEXT    NOT NULL UNIQUE,          -- from name and source path, see Project
    source_path    TEXT    NOT NULL,
    ingestion_date TEXT    NOT NULL,                 -- of the first ingestion
    content_hash   TEXT,                             -- hex BLAKE3 over all files; NULL until one ingestion completed
    last_updated   TEXT    NOT NULL,
    generation     BIGINT  NOT NULL DEFAULT 0,       -- grows with every committed change of files
    options        TEXT    NOT NULL                  -- JSON: how the source is read (source options)
);

CREATE TABLE embedders (
    id   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT   NOT NULL UNIQUE
);

CREATE TABLE vectors (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    embedder_id BIGINT NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    text_hash   BYTEA  NOT NULL,
    vector      BYTEA  NOT NULL,                     -- f32 scale (little-endian), then one int8 a dimension
    UNIQUE (embedder_id, text_hash)
);

CREATE TABLE files (
    id          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- derived data is keyed by it: no id is used twice
    identity    BYTEA   NOT NULL UNIQUE,             -- 16 bytes of BLAKE3: path, content, and how it was read
    path        TEXT    NOT NULL,                    -- relative to the source path, '/'-separated
    file_hash   BYTEA   NOT NULL,                    -- BLAKE3 of the raw bytes
    is_binary   BOOLEAN NOT NULL,
    n_chunks    BIGINT  NOT NULL,
    metadata    TEXT    NOT NULL,                    -- JSON: language, kind, type, size, withheld, text_hash
    definitions BYTEA   NOT NULL,                    -- craig-chunk/src/pack.rs, then 4 bytes of its BLAKE3
    content     BYTEA                                -- compressed text; NULL for binary files and secrets
);
-- They are compressed already.
ALTER TABLE files ALTER COLUMN definitions SET STORAGE EXTERNAL, ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE project_files (
    project_id  BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path        TEXT   NOT NULL,
    file_id     BIGINT NOT NULL REFERENCES files (id),
    file_hash   BYTEA  NOT NULL,                     -- that of the file
    n_chunks    BIGINT NOT NULL,                     -- of the file
    size        BIGINT NOT NULL,                     -- bytes
    modified_ns BIGINT NOT NULL,
    changed_ns  BIGINT NOT NULL,
    read_ns     BIGINT NOT NULL,                     -- when the file was read: stamps near it prove nothing
    PRIMARY KEY (project_id, path)
);
CREATE INDEX project_files_by_file ON project_files (file_id);

CREATE TABLE chunks (
    file_id       BIGINT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    chunk_id      BIGINT NOT NULL,                   -- number within the file, from 0
    start_byte    BIGINT NOT NULL,                   -- in the text, overlap not counted
    end_byte      BIGINT NOT NULL,
    overlap_bytes BIGINT NOT NULL,
    start_line    BIGINT NOT NULL,                   -- 1-based, inclusive
    end_line      BIGINT NOT NULL,
    chunk_type    TEXT   NOT NULL,
    symbol_name   TEXT,
    parent        TEXT,
    text_hash     BYTEA  NOT NULL,                   -- first 16 bytes of BLAKE3 of the chunk's text
    PRIMARY KEY (file_id, chunk_id)
);
CREATE INDEX chunks_by_text ON chunks (text_hash);

CREATE TABLE names (
    file_id    BIGINT PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    n_lines    BIGINT NOT NULL,                      -- of its text
    referenced BYTEA  NOT NULL,                      -- craig-chunk/src/pack.rs, then 4 bytes of its BLAKE3
    named      BYTEA  NOT NULL                       -- the same
);
ALTER TABLE names ALTER COLUMN referenced SET STORAGE EXTERNAL, ALTER COLUMN named SET STORAGE EXTERNAL;

CREATE TABLE ingestion_status (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    status          TEXT   NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    progress        BIGINT NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    current_file    TEXT,
    total_files     BIGINT NOT NULL DEFAULT 0,
    processed_files BIGINT NOT NULL DEFAULT 0,
    started_at      TEXT   NOT NULL,
    completed_at    TEXT,
    error           TEXT
);
CREATE INDEX ingestion_status_by_project ON ingestion_status (project_id, id);

CREATE TABLE context_uses (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    used_at      TEXT   NOT NULL,
    kind         TEXT   NOT NULL CHECK (kind IN ('chat', 'inline')),
    reason       TEXT,                               -- why there was none; NULL when there was some
    blocks       BIGINT NOT NULL,
    tokens       BIGINT NOT NULL,                    -- of the returned text
    whole_tokens BIGINT NOT NULL,                    -- of its files read whole, estimated
    best_score   DOUBLE PRECISION,
    mean_score   DOUBLE PRECISION,
    extract_us   BIGINT NOT NULL,                    -- microseconds of each step
    search_us    BIGINT NOT NULL,
    rank_us      BIGINT NOT NULL,
    format_us    BIGINT NOT NULL,
    total_us     BIGINT NOT NULL,
    query        TEXT,                               -- NULL unless texts are kept
    helpful      BOOLEAN,                            -- NULL if it was not rated
    note         TEXT
);
