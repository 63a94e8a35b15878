//! Projects: a name for a source directory and what was ingested from it.

use std::collections::HashMap;

use crate::group::remove_member;
use crate::sql::{self, Connection, Error, Row, Value, params};
use crate::write::{drop_files_without_project, drop_unused_vectors};
use crate::{DatabaseIdentity, ProjectId, ProjectLock, Store, StoreError};

/// One ingested source directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The file that it was read from; `None` if that was only made when the database was opened.
    pub database: Option<DatabaseIdentity>,
    /// Its id within the database.
    pub id: ProjectId,
    /// Unique in the database.
    pub name: String,
    /// First 12 hex digits of BLAKE3(name, NUL, source path): the same in every database.
    pub reference: String,
    /// Absolute path of the source directory.
    pub source_path: String,
    /// When it was first ingested, RFC 3339, UTC.
    pub ingestion_date: String,
    /// Hash over all files, hex; `None` until one ingestion has completed.
    pub content_hash: Option<String>,
    /// When its files last changed here, RFC 3339, UTC.
    pub last_updated: String,
    /// Grows with every committed change of its files; derived data has the generation that it was made from.
    pub generation: u64,
    /// How the source is read: the caller's JSON.
    pub options: String,
}

/// Distinguishes a project from all others, including those of another database that was at the same path before: ids,
/// references and generations are the same in many databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProjectKey {
    database: Option<DatabaseIdentity>,
    project: ProjectId,
}

impl ProjectKey {
    /// The id of the project within its database.
    pub fn project(&self) -> ProjectId {
        self.project
    }
}

/// How much is stored of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectCounts {
    /// Files, binary ones included.
    pub files: u64,
    /// Chunks.
    pub chunks: u64,
}

/// What the source path of a package begins with, in place of a directory.
const PACKAGE_SOURCE: &str = "package:";

/// Characters of a project's reference.
pub(crate) const REFERENCE_LENGTH: usize = 12;

/// What the source path of a group begins with.
const GROUP_SOURCE: &str = "group:";

/// The generation of a group grows with those of its members. Only for groups are members looked for: a database may read all of
/// them for each row.
const GENERATION: &str = "CASE WHEN source_path LIKE 'group:%' THEN generation + coalesce((
    SELECT CAST(sum(m.generation) AS BIGINT) FROM group_members g JOIN projects m ON m.id = g.member_id
    WHERE g.group_id = projects.id), 0) ELSE generation END";

/// The columns of a project.
pub(crate) fn columns() -> String {
    format!(
        "id, name, reference, source_path, ingestion_date, content_hash, last_updated, {GENERATION}, options"
    )
}

impl Project {
    /// What to keep derived data of this project under.
    pub fn key(&self) -> ProjectKey {
        ProjectKey { database: self.database, project: self.id }
    }

    /// The owner of derived data that outlives the process. It tells this project from one with the same name and directory in
    /// an earlier database at this path or address: ids and generations start over with every database.
    pub fn owner(&self) -> String {
        let owner = format!("{} of {}", self.id.to_u64(), self.ingestion_date);
        match self.database.and_then(|database| database.history()) {
            Some(history) => format!("{owner} in {history}"),
            None => owner,
        }
    }

    /// Whether it is the documentation of a package, which no directory holds.
    pub fn is_package(&self) -> bool {
        self.source_path.starts_with(PACKAGE_SOURCE)
    }

    /// Whether it is a group, whose files are those of other projects.
    pub fn is_group(&self) -> bool {
        self.source_path.starts_with(GROUP_SOURCE)
    }

    pub(crate) fn from_row(database: Option<DatabaseIdentity>, row: Row<'_>) -> sql::Result<Self> {
        Ok(Self {
            database,
            id: row.get(0)?,
            name: row.get(1)?,
            reference: checked_reference(row.get(2)?)?,
            source_path: row.get(3)?,
            ingestion_date: row.get(4)?,
            content_hash: row.get(5)?,
            last_updated: row.get(6)?,
            generation: row.unsigned(7)?,
            options: row.get(8)?,
        })
    }
}

impl Store {
    /// Finds a project by its id, reference or name, in this order.
    pub fn project(&self, handle: &str) -> Result<Project, StoreError> {
        let id: Option<i64> = handle.parse().ok().filter(|id: &i64| id.to_string() == handle);
        let sql = format!(
            "SELECT {} FROM projects WHERE id = ?2 OR reference = ?1 OR name = ?1
             ORDER BY CASE WHEN id = ?2 THEN 0 WHEN reference = ?1 THEN 1 ELSE 2 END LIMIT 1",
            columns()
        );
        match self.read_one(&sql, &params![handle, id], |row| Project::from_row(self.identity(), row))? {
            Some(project) => Ok(project),
            None => Err(StoreError::UnknownProject {
                handle: handle.to_owned(),
                known: self.projects()?.into_iter().chain(self.groups()?).map(|p| p.name).collect(),
            }),
        }
    }

    /// All projects by id, without groups and the documentation of packages.
    pub fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.select_projects("source_path NOT LIKE 'package:%' AND source_path NOT LIKE 'group:%'")
    }

    /// All groups by id.
    pub fn groups(&self) -> Result<Vec<Project>, StoreError> {
        self.select_projects("source_path LIKE 'group:%'")
    }

    /// The documentation of packages, by id: projects that no directory holds, shared by those that use the package.
    pub fn packages(&self) -> Result<Vec<Project>, StoreError> {
        self.select_projects("source_path LIKE 'package:%'")
    }

    fn select_projects(&self, condition: &str) -> Result<Vec<Project>, StoreError> {
        let sql = format!("SELECT {} FROM projects WHERE {condition} ORDER BY id", columns());
        self.read_all(&sql, &[], |row| Project::from_row(self.identity(), row))
    }

    /// The first project that was ingested from `source_path`.
    pub fn project_of_path(&self, source_path: &str) -> Result<Option<Project>, StoreError> {
        let sql = format!("SELECT {} FROM projects WHERE source_path = ?1 ORDER BY id LIMIT 1", columns());
        self.read_one(&sql, &params![source_path], |row| Project::from_row(self.identity(), row))
    }

    /// The generation of a project, `None` if it is gone.
    pub fn generation(&self, project: ProjectId) -> Result<Option<u64>, StoreError> {
        let sql = format!("SELECT {GENERATION} FROM projects WHERE id = ?1");
        self.read_one(&sql, &params![project], |row| row.unsigned(0))
    }

    /// The generations of those of these projects that there are.
    pub fn generations(&self, projects: &[ProjectId]) -> Result<HashMap<ProjectId, u64>, StoreError> {
        let ids = Value::Ints(projects.iter().map(i64::from).collect());
        let sql = format!("SELECT id, {GENERATION} FROM projects WHERE id = ANY(?1)");
        let found = self.read_all(&sql, &params![ids], |row| Ok((row.get(0)?, row.unsigned(1)?)))?;
        Ok(found.into_iter().collect())
    }

    /// The project that shares most files with this one; `None` if no project shares any.
    pub fn nearest_project(&self, project: ProjectId) -> Result<Option<Project>, StoreError> {
        let sql = format!(
            "SELECT {} FROM projects WHERE id = (
                 SELECT other.project_id FROM project_files own JOIN project_files other ON other.file_id = own.file_id
                 WHERE own.project_id = ?1 AND other.project_id <> ?1
                 GROUP BY other.project_id ORDER BY count(*) DESC, other.project_id LIMIT 1)",
            columns()
        );
        self.read_one(&sql, &params![project], |row| Project::from_row(self.identity(), row))
    }

    /// Tracked files of a project.
    pub fn count_files(&self, project: ProjectId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM files_of_projects WHERE project_id = ?1";
        Ok(self.read_one(sql, &params![project], |row| row.unsigned(0))?.unwrap_or_default())
    }

    /// How much is stored of a project.
    pub fn counts(&self, project: ProjectId) -> Result<ProjectCounts, StoreError> {
        let sql = "SELECT count(*), CAST(coalesce(sum(n_chunks), 0) AS BIGINT) FROM files_of_projects
                   WHERE project_id = ?1";
        let counts = self.read_one(sql, &params![project], |row| {
            Ok(ProjectCounts { files: row.unsigned(0)?, chunks: row.unsigned(1)? })
        })?;
        Ok(counts.unwrap_or_default())
    }

    /// The same for several projects, none of them a group.
    pub fn counts_of(&self, projects: &[Project]) -> Result<HashMap<ProjectId, ProjectCounts>, StoreError> {
        let ids = Value::ints(projects.iter().map(|project| &project.id));
        let sql = "SELECT project_id, count(*), CAST(coalesce(sum(n_chunks), 0) AS BIGINT) FROM project_files
                   WHERE project_id = ANY(?1) GROUP BY project_id";
        let counts = self.read_all(sql, &[ids], |row| {
            Ok((row.get(0)?, ProjectCounts { files: row.unsigned(1)?, chunks: row.unsigned(2)? }))
        })?;
        Ok(counts.into_iter().collect())
    }

    /// The project `name` of `source_path`, created if it is missing; `options` are stored either way.
    ///
    /// Fails if the name belongs to another directory.
    pub fn create_project(
        &mut self,
        name: &str,
        source_path: &str,
        options: &str,
    ) -> Result<Project, StoreError> {
        let now = now();
        self.write(|connection| {
            connection.execute(
                "INSERT INTO projects (name, reference, source_path, ingestion_date, last_updated, options)
                 VALUES (?1, ?2, ?3, ?4, ?4, ?5) ON CONFLICT DO NOTHING",
                &params![name, reference(name, source_path), source_path, now, options],
            )?;
            connection.execute(
                "UPDATE projects SET options = ?3 WHERE name = ?1 AND source_path = ?2",
                &params![name, source_path, options],
            )
        })?;
        let sql = format!("SELECT {} FROM projects WHERE name = ?1", columns());
        match self.read_one(&sql, &params![name], |row| Project::from_row(self.identity(), row))? {
            Some(project) if project.source_path == source_path => Ok(project),
            Some(other) => {
                Err(StoreError::NameTaken { name: name.to_owned(), source_path: other.source_path })
            }
            None => Err(StoreError::UnknownProject { handle: name.to_owned(), known: Vec::new() }),
        }
    }

    /// The package `key`, created if it is missing; `options` are stored either way.
    pub fn create_package(&mut self, key: &str, options: &str) -> Result<Project, StoreError> {
        self.create_project(key, &format!("{PACKAGE_SOURCE}{key}"), options)
    }

    /// The group `name` without members, created if it is missing.
    pub(crate) fn create_empty_group(&mut self, name: &str, options: &str) -> Result<Project, StoreError> {
        self.create_project(name, &format!("{GROUP_SOURCE}{name}"), options)
    }

    /// Removes the project of this lock and everything that belongs to it alone, or nothing: files that other projects have, too,
    /// stay theirs. No trace of the rest remains in the files of the database, if there is room to rewrite them and nobody reads them at the moment. Its index is not removed.
    pub fn purge(&mut self, lock: &ProjectLock) -> Result<(), StoreError> {
        let delete = |store: &mut Self| store.write(|connection| delete_project(connection, &lock.reference));
        match delete(self) {
            Err(StoreError::Full { .. }) => self.delete_in_place(delete)?,
            other => other?,
        }
        self.has_deleted = true;
        self.rewrite();
        self.empty_log();
        lock.clear_record();
        Ok(())
    }
}

fn delete_project(connection: &Connection, reference: &str) -> sql::Result<()> {
    let sql =
        "SELECT f.file_id FROM projects p JOIN project_files f ON f.project_id = p.id WHERE p.reference = ?1
         UNION SELECT k.file_id FROM projects p JOIN kept_versions k ON k.project_id = p.id WHERE p.reference = ?1";
    let files: Vec<i64> = connection.all(sql, &params![reference], |row| row.get(0))?;
    let groups = "SELECT g.group_id, g.member_id FROM group_members g JOIN projects p ON p.id = g.member_id WHERE p.reference = ?1";
    for (group, member) in
        connection.all(groups, &params![reference], |row| Ok((row.get(0)?, row.get(1)?)))?
    {
        remove_member(connection, group, member)?;
    }
    connection.execute("DELETE FROM projects WHERE reference = ?1", &params![reference])?;
    drop_files_without_project(connection, Value::Ints(files))?;
    drop_unused_vectors(connection)
}

fn reference(name: &str, source_path: &str) -> String {
    let hash = blake3::hash(format!("{name}\0{source_path}").as_bytes());
    hash.to_hex()[..REFERENCE_LENGTH].to_owned()
}

/// Folders and lock files are named by it, so a path that was planted in the database is rejected.
fn checked_reference(reference: String) -> sql::Result<String> {
    match reference.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(reference),
        false => {
            let wrong = format!("the reference {reference:?} of a project was not created by craig");
            Err(Error::Unexpected(wrong))
        }
    }
}

/// The current time in the stored form: RFC 3339, UTC, milliseconds.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
