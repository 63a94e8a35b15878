-- A second wall for servers that answer people who may see only some projects. Such a server connects as a role of its own, which
-- does not own these tables: row-level security leaves owners alone. Before it answers somebody, it sets `craig.projects` to the
-- ids of the projects that this person may see, separated by commas; without it, all rows are shown.
CREATE FUNCTION shown_projects() RETURNS BIGINT[] LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT CAST(string_to_array(nullif(current_setting('craig.projects', true), ''), ',') AS BIGINT[]) $$;

-- The sub-select is run once for a statement instead of once for a row.
CREATE POLICY shown ON projects USING
    ((SELECT shown_projects()) IS NULL OR id = ANY (CAST((SELECT shown_projects()) AS BIGINT[])));
CREATE POLICY shown ON project_files USING
    ((SELECT shown_projects()) IS NULL OR project_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[])));
CREATE POLICY shown ON kept_versions USING
    ((SELECT shown_projects()) IS NULL OR project_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[])));
CREATE POLICY shown ON ingestion_status USING
    ((SELECT shown_projects()) IS NULL OR project_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[])));
CREATE POLICY shown ON context_uses USING
    ((SELECT shown_projects()) IS NULL OR project_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[])));
CREATE POLICY shown ON group_members USING
    ((SELECT shown_projects()) IS NULL OR (member_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[]))
                                           AND group_id = ANY (CAST((SELECT shown_projects()) AS BIGINT[]))));
-- A file is shown to whoever may see a project that has it; so is what was read of it.
CREATE POLICY shown ON files USING
    ((SELECT shown_projects()) IS NULL OR EXISTS (SELECT 1 FROM project_files p WHERE p.file_id = files.id));
CREATE POLICY shown ON chunks USING
    ((SELECT shown_projects()) IS NULL OR EXISTS (SELECT 1 FROM project_files p WHERE p.file_id = chunks.file_id));
CREATE POLICY shown ON names USING
    ((SELECT shown_projects()) IS NULL OR EXISTS (SELECT 1 FROM project_files p WHERE p.file_id = names.file_id));
-- Sources of projects that may not exist yet: nobody who sees only some projects sees them.
CREATE POLICY shown ON jobs USING ((SELECT shown_projects()) IS NULL);

ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE project_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE kept_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE ingestion_status ENABLE ROW LEVEL SECURITY;
ALTER TABLE context_uses ENABLE ROW LEVEL SECURITY;
ALTER TABLE group_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE files ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE names ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
-- The view shows what its reader may see, not what its owner may.
ALTER VIEW files_of_projects SET (security_invoker = true);
