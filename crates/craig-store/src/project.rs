//! Projects: a name for a source directory and what was ingested from it.

use rusqlite::{Row, params};

use crate::write::drop_unused_vectors;
use crate::{Store, StoreError};

/// Identifies a project in one database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(pub(crate) i64);

impl ProjectId {
    /// The number that users see.
    pub fn get(self) -> i64 {
        self.0
    }
}

/// One ingested source directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Number within the database.
    pub id: ProjectId,
    /// Name chosen by the user, unique in the database.
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
    /// Grows with every committed change of its files; derived data carries the generation it was made from.
    pub generation: u64,
    /// How the source is read, JSON as the caller gave it.
    pub options: String,
}

const COLUMNS: &str =
    "id, name, reference, source_path, ingestion_date, content_hash, last_updated, generation, options";

impl Project {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: ProjectId(row.get(0)?),
            name: row.get(1)?,
            reference: checked_reference(row.get(2)?)?,
            source_path: row.get(3)?,
            ingestion_date: row.get(4)?,
            content_hash: row.get(5)?,
            last_updated: row.get(6)?,
            generation: row.get::<_, i64>(7)? as u64,
            options: row.get(8)?,
        })
    }
}

impl Store {
    /// Finds a project by its id, reference or name, in this order.
    pub fn project(&self, handle: &str) -> Result<Project, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM projects WHERE id = CAST(?1 AS INTEGER) AND CAST(id AS TEXT) = ?1 \
             OR reference = ?1 OR name = ?1 ORDER BY (CAST(id AS TEXT) = ?1) DESC, (reference = ?1) DESC LIMIT 1"
        );
        match self.read_one(&sql, [handle], Project::from_row)? {
            Some(project) => Ok(project),
            None => Err(StoreError::UnknownProject {
                handle: handle.to_owned(),
                known: self.projects()?.into_iter().map(|p| p.name).collect(),
            }),
        }
    }

    /// All projects by id.
    pub fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM projects ORDER BY id");
        self.read(|connection| connection.prepare_cached(&sql)?.query_map([], Project::from_row)?.collect())
    }

    /// The first project that was ingested from `source_path`.
    pub fn project_of_path(&self, source_path: &str) -> Result<Option<Project>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE source_path = ?1 ORDER BY id LIMIT 1");
        self.read_one(&sql, [source_path], Project::from_row)
    }

    /// The project `name` of `source_path`, made when missing; `options` are stored either way.
    ///
    /// Fails when the name belongs to another directory.
    pub fn create_project(
        &mut self,
        name: &str,
        source_path: &str,
        options: &str,
    ) -> Result<Project, StoreError> {
        let now = now();
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO projects (name, reference, source_path, ingestion_date, last_updated, options)
                 VALUES (?1, ?2, ?3, ?4, ?4, ?5) ON CONFLICT DO NOTHING",
                params![name, reference(name, source_path), source_path, now, options],
            )?;
            transaction.execute(
                "UPDATE projects SET options = ?3 WHERE name = ?1 AND source_path = ?2",
                params![name, source_path, options],
            )
        })?;
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE name = ?1");
        match self.read_one(&sql, [name], Project::from_row)? {
            Some(project) if project.source_path == source_path => Ok(project),
            Some(other) => {
                Err(StoreError::NameTaken { name: name.to_owned(), source_path: other.source_path })
            }
            None => Err(StoreError::UnknownProject { handle: name.to_owned(), known: Vec::new() }),
        }
    }

    /// Removes a project and everything that belongs to it alone, or nothing. No trace of it is left in the files of the
    /// database, as far as there is room to write them anew and nobody reads them at the moment.
    pub fn purge(&mut self, project: ProjectId) -> Result<(), StoreError> {
        let delete = |store: &mut Self| {
            store.write(|transaction| {
                transaction.execute("DELETE FROM projects WHERE id = ?1", [project.0])?;
                drop_unused_vectors(transaction)
            })
        };
        match delete(self) {
            Err(StoreError::Full { .. }) => self.delete_in_place(delete)?,
            other => other?,
        }
        self.has_deleted = true;
        self.rewrite();
        self.empty_log();
        Ok(())
    }
}

fn reference(name: &str, source_path: &str) -> String {
    let hash = blake3::hash(format!("{name}\0{source_path}").as_bytes());
    hash.to_hex()[..12].to_owned()
}

/// Folders and locks are called by it, so it may not be a path that somebody has written into the database.
fn checked_reference(reference: String) -> rusqlite::Result<String> {
    match reference.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(reference),
        false => {
            let detail = format!("the reference {reference:?} of a project is not one that craig makes");
            Err(rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, detail.into()))
        }
    }
}

/// The present time as stored: RFC 3339, UTC, milliseconds.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
