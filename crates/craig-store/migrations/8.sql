-- One version of a file is stored once for all projects that have it at the same path. Texts and definitions are compressed,
-- so that no view can show texts any more. The functions are those of craig-store/src/schema.rs.
CREATE TABLE files_8 (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,   -- derived data is keyed by it: no id is used twice
    identity    BLOB    NOT NULL UNIQUE,             -- 16 bytes of BLAKE3: path, content, and how it was read
    path        TEXT    NOT NULL,                    -- relative to the source path, '/'-separated
    file_hash   BLOB    NOT NULL,                    -- BLAKE3 of the raw bytes
    is_binary   INTEGER NOT NULL,
    n_chunks    INTEGER NOT NULL,
    metadata    TEXT    NOT NULL,                    -- JSON: language, kind, type, size, withheld, text_hash
    definitions BLOB    NOT NULL,                    -- craig-chunk/src/pack.rs, then 4 bytes of its BLAKE3
    content     BLOB                                 -- compressed text; NULL for binary files and secrets
);
INSERT INTO files_8
SELECT id, CAST(printf('%016d', id) AS BLOB), path, coalesce(unhex(file_hash), zeroblob(32)), is_binary,
       (SELECT count(*) FROM chunks c WHERE c.file_id = f.id),
       json_remove(metadata, '$.modified_date'), packed_definitions(outline), compressed_text(content)
FROM files f;
DELETE FROM sqlite_sequence WHERE name = 'files_8';
INSERT INTO sqlite_sequence SELECT 'files_8', seq FROM sqlite_sequence WHERE name = 'files';

CREATE TABLE project_files (
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path        TEXT    NOT NULL,
    file_id     INTEGER NOT NULL REFERENCES files_8 (id),
    file_hash   BLOB    NOT NULL,                    -- that of the file
    n_chunks    INTEGER NOT NULL,                    -- of the file
    size        INTEGER NOT NULL,                    -- bytes
    modified_ns INTEGER NOT NULL,
    changed_ns  INTEGER NOT NULL,
    read_ns     INTEGER NOT NULL,                    -- when the file was read: stamps near it prove nothing
    PRIMARY KEY (project_id, path)
) WITHOUT ROWID;
INSERT INTO project_files
SELECT project_id, path, id, coalesce(unhex(file_hash), zeroblob(32)), (SELECT count(*) FROM chunks c WHERE c.file_id = f.id),
       size, modified_ns, changed_ns, read_ns
FROM files f;
CREATE INDEX project_files_by_file ON project_files (file_id);

CREATE TABLE chunks_8 (
    file_id       INTEGER NOT NULL REFERENCES files_8 (id) ON DELETE CASCADE,
    chunk_id      INTEGER NOT NULL,                  -- number within the file, from 0
    start_byte    INTEGER NOT NULL,                  -- in the text, overlap not counted
    end_byte      INTEGER NOT NULL,
    overlap_bytes INTEGER NOT NULL,
    start_line    INTEGER NOT NULL,                  -- 1-based, inclusive
    end_line      INTEGER NOT NULL,
    chunk_type    TEXT    NOT NULL,
    symbol_name   TEXT,
    parent        TEXT,
    text_hash     BLOB    NOT NULL,                  -- first 16 bytes of BLAKE3 of the chunk's text
    PRIMARY KEY (file_id, chunk_id)
) WITHOUT ROWID;
INSERT INTO chunks_8
SELECT file_id, chunk_id, start_byte, end_byte, overlap_bytes, start_line, end_line, chunk_type, symbol_name, parent, text_hash
FROM chunks;

CREATE TABLE names_8 (
    file_id    INTEGER PRIMARY KEY REFERENCES files_8 (id) ON DELETE CASCADE,
    n_lines    INTEGER NOT NULL,                     -- of its text
    referenced BLOB    NOT NULL,                     -- craig-chunk/src/pack.rs, then 4 bytes of its BLAKE3
    named      BLOB    NOT NULL                      -- the same
);
INSERT INTO names_8 SELECT file_id, n_lines, referenced, named FROM names;

DROP VIEW embeddings;
DROP TABLE names;
DROP TABLE chunks;
DROP TABLE files;
ALTER TABLE files_8 RENAME TO files;
ALTER TABLE chunks_8 RENAME TO chunks;
ALTER TABLE names_8 RENAME TO names;

-- Vectors of the built-in model are in the index alone, but for those of a repository's documentation ('CrgD').
DELETE FROM vectors
WHERE embedder_id IN (SELECT id FROM embedders WHERE name LIKE 'craig-static-%')
  AND (SELECT application_id FROM pragma_application_id) <> 1131571012;
