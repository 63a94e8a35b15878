-- What a file refers to and names, apart from the rows that hold the texts: analyses read it of all files. A file without a
-- row has no text, or was read by a version that did not store it.
CREATE TABLE names (
    file_id    INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    n_lines    INTEGER NOT NULL,                     -- of its text
    referenced BLOB    NOT NULL,                     -- craig-chunk/src/pack.rs, then 4 bytes of its BLAKE3
    named      BLOB    NOT NULL                      -- the same
);
