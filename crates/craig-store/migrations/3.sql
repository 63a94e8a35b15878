-- What a delta compares with the directory, apart from the rows that hold the texts: they are many pages.
CREATE INDEX files_tracked
ON files (project_id, path, file_hash, size, modified_ns, changed_ns, read_ns);
