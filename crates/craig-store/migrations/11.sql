-- Versions of files that git has as well: they stay for a while after a project has changed to others, since it may change back,
-- as between two branches.
CREATE TABLE kept_versions (
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    file_id     INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    replaced_in INTEGER,                             -- generation of the project; NULL while the project has this version
    PRIMARY KEY (project_id, file_id)
) WITHOUT ROWID;
CREATE INDEX kept_versions_by_file ON kept_versions (file_id);
CREATE INDEX kept_versions_replaced ON kept_versions (project_id, replaced_in) WHERE replaced_in IS NOT NULL;
