//! The schema of a database: its versions, how an older one is brought up to date, and what is refused.

use std::path::Path;

use craig_chunk::{Definitions, compressed};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::OpenError;
use crate::sealed::sealed;
use crate::store::Place;
use crate::{Role, StoreError};

/// Format version that this program writes, kept in `PRAGMA user_version`.
pub(crate) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Step i brings a database from version i to i + 1. A released step is never edited: add another.
const MIGRATIONS: [&str; 11] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
    include_str!("../migrations/5.sql"),
    include_str!("../migrations/6.sql"),
    include_str!("../migrations/7.sql"),
    include_str!("../migrations/8.sql"),
    include_str!("../migrations/9.sql"),
    include_str!("../migrations/10.sql"),
    include_str!("../migrations/11.sql"),
];

/// BLAKE3 of the schema that the migrations create, see [`schema_hash`]; changes with every migration.
const SCHEMA_HASH: &str = "3a8eebc80b17588b69d68601862af6d742e897521b26ca6a4ac8a8762c04e3f7";

/// The first version whose databases have a role. Older ones are a user's index, or documentation.
const FIRST_WITH_ROLE: u32 = 4;

/// The version of a database, 0 for an empty one. Refuses one of a newer version, of another role or of another program
/// before anything is written to it.
pub(crate) fn check_version(connection: &Connection, place: &Place) -> Result<u32, OpenError> {
    let found = Contents::read(connection)?;
    let (path, version) = (place.path.clone(), found.user_version);
    match found.role(connection)? {
        Some(role) if role != place.role => {
            return Err(StoreError::OtherRole { path, found: role, wanted: place.role }.into());
        }
        None if !found.is_empty() => {
            let detail = "it is the database of another program".into();
            return Err(StoreError::Corrupt { path, detail }.into());
        }
        _ => {}
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::Newer { path, found: version, supported: SCHEMA_VERSION }.into());
    }
    Ok(version)
}

/// Refuses a database whose schema is not exactly what the migrations create: triggers and views are programs.
pub(crate) fn check_schema(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    if schema_hash(connection)? == SCHEMA_HASH {
        return Ok(());
    }
    let detail = "its tables, views and triggers are not those of craig".into();
    Err(StoreError::Corrupt { path: path.to_owned(), detail }.into())
}

/// Brings a database to the present version; an empty one gets its role.
pub(crate) fn migrate(connection: &mut Connection, role: Role) -> rusqlite::Result<()> {
    add_functions(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while this one waited for the write lock.
    let from = user_version(&transaction)?;
    for step in MIGRATIONS.iter().skip(from as usize) {
        transaction.execute_batch(step)?;
    }
    if from < FIRST_WITH_ROLE {
        transaction.pragma_update(None, "application_id", role.application_id())?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()
}

/// Adds the functions that migrations call.
fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("compressed_text", 1, flags, |context| {
        let text = context.get_raw(0).as_bytes_or_null()?;
        Ok(text.map(|text| compressed(text, &[])))
    })?;
    connection.create_scalar_function("packed_definitions", 1, flags, |context| {
        let definitions = serde_json::from_str::<Definitions>(context.get_raw(0).as_str()?);
        // Damage stays damage, which `craig doctor` finds.
        Ok(definitions.map_or_else(|_| vec![0], |definitions| sealed(definitions.packed())))
    })
}

/// The header fields that identify the program and the role of a database.
struct Contents {
    user_version: u32,
    application_id: i32,
    n_tables: u32,
    n_own_tables: u32,
}

impl Contents {
    /// Read in one statement, so that a migration by another process is seen completely or not at all.
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        connection.query_row(
            "SELECT (SELECT user_version FROM pragma_user_version),
                    (SELECT application_id FROM pragma_application_id), count(*),
                    count(*) FILTER (WHERE name IN ('projects', 'files', 'chunks', 'ingestion_status'))
             FROM sqlite_master WHERE type = 'table'",
            [],
            |row| {
                Ok(Self {
                    user_version: row.get(0)?,
                    application_id: row.get(1)?,
                    n_tables: row.get(2)?,
                    n_own_tables: row.get(3)?,
                })
            },
        )
    }

    fn is_empty(&self) -> bool {
        self.user_version == 0 && self.application_id == 0 && self.n_tables == 0
    }

    /// The role of the database; `None` if it is empty, or belongs to another program.
    fn role(&self, connection: &Connection) -> rusqlite::Result<Option<Role>> {
        if self.user_version == 0 || self.n_own_tables != 4 {
            return Ok(None);
        }
        if self.user_version >= FIRST_WITH_ROLE || self.application_id != 0 {
            return Ok(Role::from_application_id(self.application_id));
        }
        // The options of the one project of a repository's documentation, before databases had roles.
        let is_documentation = "SELECT EXISTS (SELECT 1 FROM projects WHERE options LIKE 'documentation %')";
        let is_documentation = connection.query_row(is_documentation, [], |row| row.get(0))?;
        Ok(Some(if is_documentation { Role::Documentation } else { Role::Index }))
    }
}

/// BLAKE3 of the statements that created everything in the database, in the order of names. The tables of ANALYZE, which hold
/// nothing but numbers, do not count.
fn schema_hash(connection: &Connection) -> rusqlite::Result<String> {
    let schema: String = connection.query_row(
        "SELECT group_concat(type || ' ' || name || ' ' || sql, char(10) ORDER BY name) FROM sqlite_schema
         WHERE sql NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',
                           'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')",
        [],
        |row| row.get(0),
    )?;
    Ok(blake3::hash(schema.as_bytes()).to_hex().to_string())
}

fn user_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn the_hash_is_that_of_the_migrations() {
        let folder = tempfile::tempdir().unwrap();
        let opened = Store::open(&folder.path().join("craig.db")).map(drop);
        assert!(
            opened.is_ok(),
            "after a migration SCHEMA_HASH has to be {}: {opened:?}",
            hash_of_migrations()
        );
    }

    fn hash_of_migrations() -> String {
        let connection = Connection::open_in_memory().unwrap();
        add_functions(&connection).unwrap();
        MIGRATIONS.iter().for_each(|step| connection.execute_batch(step).unwrap());
        schema_hash(&connection).unwrap()
    }
}
