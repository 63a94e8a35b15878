//! Versions of files that stay for a while after a project has changed to others.
//!
//! Only versions that git has as well: a project changes back to them when it changes back to a branch, and deleting them here
//! would erase nothing. They are found by their identity, like files of other projects, and keep their rows in the index.

use std::collections::HashSet;

use crate::sql::{self, Connection, Insert, Kind, ToValue as _, Value, params};
use crate::write::drop_files_without_project;
use crate::{FileId, ProjectId, Store, StoreError, TrackedFile};

/// A project keeps one replaced version for this number of files.
const FILES_PER_VERSION: u64 = 4;

const KEPT_VERSIONS: Insert = Insert {
    table: "kept_versions",
    columns: &[("project_id", Kind::Int), ("file_id", Kind::Int)],
    then: "ON CONFLICT DO NOTHING",
};

impl Store {
    /// Ids of the versions that a project, or a member of a group, had and may have again, ascending.
    pub fn kept_versions(&self, project: ProjectId) -> Result<Vec<FileId>, StoreError> {
        let sql = "SELECT DISTINCT file_id FROM kept_versions
                   WHERE replaced_in IS NOT NULL
                     AND (project_id = ?1 OR project_id IN (SELECT member_id FROM group_members WHERE group_id = ?1))
                   ORDER BY file_id";
        self.read_all(sql, &params![project], |row| row.get(0))
    }

    /// Drops the replaced versions of a project, and keeps none of those that it has now: another version of Craig reads files in
    /// another way.
    pub fn keep_no_versions(&mut self, project: ProjectId) -> Result<(), StoreError> {
        self.write(|connection| {
            let sql = "DELETE FROM kept_versions WHERE project_id = ?1 RETURNING file_id";
            let files = connection.all(sql, &params![project], |row| row.get(0))?;
            drop_files_without_project(connection, Value::Ints(files))
        })
    }
}

/// Notes that a project has these versions now, and keeps those that are `in_git` when it changes to others.
pub(crate) fn keep(
    connection: &Connection,
    project: ProjectId,
    files: &[&TrackedFile],
    in_git: &HashSet<String>,
) -> sql::Result<()> {
    connection.execute(
        "UPDATE kept_versions SET replaced_in = NULL
         WHERE project_id = ?1 AND file_id = ANY(?2) AND replaced_in IS NOT NULL",
        &params![project, Value::ints(files.iter().map(|file| &file.id))],
    )?;
    let kept = files.iter().filter(|file| in_git.contains(&file.path));
    let rows: Vec<Vec<Value<'_>>> = kept.map(|file| vec![project.to_value(), file.id.to_value()]).collect();
    connection.insert(KEPT_VERSIONS, &rows)
}

/// Notes that a project no longer has these versions; returns those that have been kept longest, which it keeps no longer.
pub(crate) fn replace(
    connection: &Connection,
    project: ProjectId,
    files: Value<'_>,
) -> sql::Result<Vec<i64>> {
    connection.execute(
        "UPDATE kept_versions SET replaced_in = (SELECT generation FROM projects WHERE id = ?1)
         WHERE project_id = ?1 AND file_id = ANY(?2)",
        &params![project, files],
    )?;
    let sql = format!(
        "DELETE FROM kept_versions WHERE project_id = ?1 AND file_id IN (
             SELECT file_id FROM kept_versions WHERE project_id = ?1 AND replaced_in IS NOT NULL
             ORDER BY replaced_in DESC, file_id LIMIT {}
             OFFSET (SELECT count(*) / {FILES_PER_VERSION} FROM project_files WHERE project_id = ?1))
         RETURNING file_id",
        i64::MAX
    );
    connection.all(&sql, &params![project], |row| row.get(0))
}
