-- A group is a project without files of its own: it has those of its members, each below a folder with the name of its project.
CREATE TABLE group_members (
    group_id  BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    member_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, member_id)
);
CREATE INDEX group_members_by_member ON group_members (member_id);

-- The files of projects and of groups.
CREATE VIEW files_of_projects AS
SELECT project_id, path, file_id, file_hash, n_chunks, size, modified_ns, changed_ns, read_ns
FROM project_files
UNION ALL
SELECT g.group_id, m.name || '/' || p.path, p.file_id, p.file_hash, p.n_chunks, p.size, p.modified_ns, p.changed_ns, p.read_ns
FROM group_members g
JOIN projects m ON m.id = g.member_id
JOIN project_files p ON p.project_id = g.member_id;
