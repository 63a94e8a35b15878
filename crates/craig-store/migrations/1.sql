CREATE TABLE projects (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    name           TEXT    NOT NULL UNIQUE,
    reference      TEXT    NOT NULL UNIQUE,          -- from name and source path, see Project
    source_path    TEXT    NOT NULL,
    ingestion_date TEXT    NOT NULL,                 -- RFC 3339, UTC, of the first ingestion
    content_hash   TEXT,                             -- hex BLAKE3 over all files; NULL until one ingestion completed
    last_updated   TEXT    NOT NULL,                 -- RFC 3339, UTC
    generation     INTEGER NOT NULL DEFAULT 0,       -- grows with every committed change of files
    options        TEXT    NOT NULL                  -- JSON: how the source is read (source options)
);

CREATE TABLE files (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,   -- a changed file gets a new id: derived data is keyed by it
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path        TEXT    NOT NULL,                    -- relative to the source path, '/'-separated
    content     TEXT,                                -- NULL for binary files and secrets
    file_hash   TEXT    NOT NULL,                    -- hex BLAKE3 of the raw bytes
    is_binary   INTEGER NOT NULL,
    metadata    TEXT    NOT NULL,                    -- JSON: language, kind, type, size, modified_date, withheld
    outline     TEXT    NOT NULL,                    -- JSON: symbols, imports, parsed
    size        INTEGER NOT NULL,                    -- bytes
    modified_ns INTEGER NOT NULL,
    changed_ns  INTEGER NOT NULL,
    read_ns     INTEGER NOT NULL,                    -- when the file was read: stamps near it prove nothing
    UNIQUE (project_id, path)
);

CREATE TABLE chunks (
    id            INTEGER PRIMARY KEY,
    file_id       INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    chunk_id      INTEGER NOT NULL,                  -- number within the file, from 0
    start_byte    INTEGER NOT NULL,                  -- in content, overlap not counted
    end_byte      INTEGER NOT NULL,
    overlap_bytes INTEGER NOT NULL,
    start_line    INTEGER NOT NULL,                  -- 1-based, inclusive
    end_line      INTEGER NOT NULL,
    chunk_type    TEXT    NOT NULL,
    symbol_name   TEXT,
    parent        TEXT,
    text_hash     BLOB    NOT NULL,                  -- first 16 bytes of BLAKE3 of the chunk's text
    UNIQUE (file_id, chunk_id)
);

CREATE TABLE embedders (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- A vector belongs to a text, whatever files, branches or projects hold it.
CREATE TABLE vectors (
    id          INTEGER PRIMARY KEY,
    embedder_id INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    text_hash   BLOB    NOT NULL,
    vector      BLOB    NOT NULL,                    -- f32 scale (little-endian), then one int8 a dimension
    UNIQUE (embedder_id, text_hash)
);

-- Chunks with their text and vectors, one row for each embedder that has embedded them.
CREATE VIEW embeddings AS
SELECT c.id, c.file_id, c.chunk_id, v.vector, e.name AS embedder,
       CAST(substr(CAST(f.content AS BLOB), c.start_byte - c.overlap_bytes + 1,
                   c.end_byte - c.start_byte + c.overlap_bytes) AS TEXT) AS chunk_text,
       c.start_line, c.end_line, c.chunk_type, c.symbol_name, c.parent
FROM chunks c
JOIN files f ON f.id = c.file_id
LEFT JOIN vectors v ON v.text_hash = c.text_hash
LEFT JOIN embedders e ON e.id = v.embedder_id;

CREATE TABLE ingestion_status (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id      INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    status          TEXT    NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    progress        INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    current_file    TEXT,
    total_files     INTEGER NOT NULL DEFAULT 0,
    processed_files INTEGER NOT NULL DEFAULT 0,
    started_at      TEXT    NOT NULL,                -- RFC 3339, UTC
    completed_at    TEXT,
    error           TEXT
);
CREATE INDEX ingestion_status_by_project ON ingestion_status (project_id, id);
