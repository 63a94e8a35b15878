//! Reads everything in the database and reports what is wrong with it.
//!
//! SQLite has no checksums. Its own check finds pages, indexes and references that contradict each other; hashes find changed
//! texts; and impossible vectors are found by their form. A path, the name of a symbol, a line number or a component of a vector
//! that has become another valid one is not found.

use std::collections::HashSet;

use crate::sql::{self, Connection, Value, params};
use crate::write::increase_generation;
use crate::{FileId, ProjectId, Store, StoreError};
use craig_model::Quantized;

/// A file whose stored data is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// Its id.
    pub id: FileId,
    /// Its path.
    pub path: String,
    /// What is wrong.
    pub what: String,
}

/// Problems of the database itself that are listed, at most.
const MAX_PROBLEMS: usize = 20;

impl Store {
    /// Problems of the database as a whole: pages, indexes, constraints and references. Empty if it is sound.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let Some(connection) = self.connection.sqlite() else {
            // A server has checksums, and checks its constraints.
            return Ok(Vec::new());
        };
        match problems(connection).map_err(|error| StoreError::from_sqlite(&self.place.path, error)) {
            // Too damaged for SQLite to continue the check.
            Err(error @ StoreError::Corrupt { .. }) => Ok(vec![error.to_string()]),
            checked => checked,
        }
    }

    /// Rebuilds the database's own indexes from its tables and removes orphaned rows; returns whether the database is sound then.
    pub fn repair(&mut self) -> bool {
        self.rebuild_indexes().is_ok() && self.check().is_ok_and(|problems| problems.is_empty())
    }

    fn rebuild_indexes(&mut self) -> Result<(), StoreError> {
        self.write(|connection| {
            let Some(connection) = connection.sqlite() else { return Ok(()) };
            connection.execute_batch(
                "REINDEX;
                 DELETE FROM project_files WHERE project_id NOT IN (SELECT id FROM projects)
                                              OR file_id NOT IN (SELECT id FROM files);
                 DELETE FROM kept_versions WHERE project_id NOT IN (SELECT id FROM projects)
                                              OR file_id NOT IN (SELECT id FROM files);
                 DELETE FROM files WHERE id NOT IN (SELECT file_id FROM project_files)
                                     AND id NOT IN (SELECT file_id FROM kept_versions);
                 DELETE FROM chunks WHERE file_id NOT IN (SELECT id FROM files);
                 DELETE FROM names WHERE file_id NOT IN (SELECT id FROM files);
                 DELETE FROM vectors WHERE embedder_id NOT IN (SELECT id FROM embedders);
                 DELETE FROM ingestion_status WHERE project_id NOT IN (SELECT id FROM projects);
                 DELETE FROM context_uses WHERE project_id NOT IN (SELECT id FROM projects);",
            )?;
            Ok(())
        })
    }

    /// Reads every file of a project, calling `before_each` with its path, and returns those whose text, outline, names or
    /// vectors are damaged.
    pub fn damaged_files(
        &self,
        project: ProjectId,
        before_each: &mut dyn FnMut(&str),
    ) -> Result<Vec<DamagedFile>, StoreError> {
        let sql = "SELECT file_id, path FROM project_files WHERE project_id = ?1 ORDER BY file_id";
        let files: Vec<(FileId, String)> =
            self.read_all(sql, &params![project], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let bad_vectors = self.files_with_bad_vectors(project)?;
        let mut damaged = Vec::new();
        for (id, path) in files {
            before_each(&path);
            let what = match self.load_outlines(project, &[id]) {
                Ok(_) if bad_vectors.contains(&id) => "a vector of its text is damaged".to_owned(),
                Ok(_) => match self.damaged_names(project, id)? {
                    true => "a row that it refers to is damaged".to_owned(),
                    false => continue,
                },
                Err(StoreError::DamagedText { .. }) => "its text is damaged".to_owned(),
                Err(error) => error.to_string(),
            };
            damaged.push(DamagedFile { id, path, what });
        }
        Ok(damaged)
    }

    fn damaged_names(&self, project: ProjectId, file: FileId) -> Result<bool, StoreError> {
        Ok(self.load_names(project, &[file])?.into_iter().any(|file| file.unpacked().is_err()))
    }

    /// Files of a project with an impossible vector.
    fn files_with_bad_vectors(&self, project: ProjectId) -> Result<HashSet<FileId>, StoreError> {
        let sql = "SELECT DISTINCT c.file_id, v.vector
                   FROM project_files p JOIN chunks c ON c.file_id = p.file_id
                   JOIN vectors v ON v.text_hash = c.text_hash WHERE p.project_id = ?1";
        let mut bad = HashSet::new();
        self.read(|connection| {
            connection.each(sql, &params![project], |row| {
                if !row.blob(1).is_ok_and(is_vector) {
                    bad.insert(row.get(0)?);
                }
                Ok(())
            })
        })?;
        Ok(bad)
    }

    /// Removes these files from all projects, and impossible vectors, so that the next ingestion reads the files again.
    pub fn forget_files(&mut self, files: &[FileId]) -> Result<(), StoreError> {
        let mut bad_vectors: Vec<i64> = Vec::new();
        self.read(|connection| {
            connection.each("SELECT id, vector FROM vectors", &[], |row| {
                if !row.blob(1).is_ok_and(is_vector) {
                    bad_vectors.push(row.get(0)?);
                }
                Ok(())
            })
        })?;
        self.write(|connection| {
            let bad = Value::ints(bad_vectors.iter().copied());
            connection.execute("DELETE FROM vectors WHERE id = ANY(?1)", &[bad])?;
            forget(connection, &Value::ints(files))
        })
    }
}

/// Problems of an SQLite database.
fn problems(connection: &rusqlite::Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems: Vec<String> = connection
        .prepare(&format!("PRAGMA integrity_check({MAX_PROBLEMS})"))?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    problems.retain(|problem| problem != "ok");
    let references = "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1";
    let mut lost = connection.prepare(references)?;
    for row in lost.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))? {
        let (table, n_rows) = row?;
        problems.push(format!("{n_rows} rows of {table} belong to nothing"));
    }
    Ok(problems)
}

fn forget(connection: &Connection, files: &Value<'_>) -> sql::Result<()> {
    let sql = "DELETE FROM project_files WHERE file_id = ANY(?1) RETURNING project_id";
    let projects: HashSet<ProjectId> =
        connection.all(sql, &params![files], |row| row.get(0))?.into_iter().collect();
    connection.execute("DELETE FROM files WHERE id = ANY(?1)", &params![files])?;
    projects.into_iter().try_for_each(|project| increase_generation(connection, project))
}

/// Whether bytes can be a stored vector: a finite scale, and at least one component.
pub(crate) fn is_vector(bytes: &[u8]) -> bool {
    Quantized::from_bytes(bytes)
        .is_some_and(|vector| vector.scale.is_finite() && vector.scale >= 0.0 && !vector.codes.is_empty())
}
