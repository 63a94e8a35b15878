//! Copies of a whole database, between files and servers.
//!
//! Files with everything that was read from them come first, in groups that are committed one by one. They never change once they
//! are stored, so that a copy that was cut off goes on behind its last group. Projects and everything else come at the end, in one
//! transaction that is committed only if both databases have the same rows: nobody ever sees half a copy.

use serde::Serialize;

use crate::sql::{self, Connection, Insert, Kind, Row, Value, params};
use crate::{Store, StoreError};

use Kind::{Blob, Bool, Int, Real, Text};

/// Files, and vectors, that are committed together.
const GROUP_FILES: u64 = 256;
const GROUP_VECTORS: u64 = 4096;

/// Rows of the other tables that are read and written together.
const GROUP_ROWS: usize = 4096;

/// A table with all its columns, the key first.
#[derive(Clone, Copy, Debug)]
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Kind)],
}

const EMBEDDERS: Table = Table { name: "embedders", columns: &[("id", Int), ("name", Text)] };

const VECTORS: Table = Table {
    name: "vectors",
    columns: &[("id", Int), ("embedder_id", Int), ("text_hash", Blob), ("vector", Blob)],
};

const FILES: Table = Table {
    name: "files",
    columns: &[
        ("id", Int),
        ("identity", Blob),
        ("path", Text),
        ("file_hash", Blob),
        ("is_binary", Bool),
        ("n_chunks", Int),
        ("metadata", Text),
        ("definitions", Blob),
        ("content", Blob),
    ],
};

const CHUNKS: Table = Table {
    name: "chunks",
    columns: &[
        ("file_id", Int),
        ("chunk_id", Int),
        ("start_byte", Int),
        ("end_byte", Int),
        ("overlap_bytes", Int),
        ("start_line", Int),
        ("end_line", Int),
        ("chunk_type", Text),
        ("symbol_name", Text),
        ("parent", Text),
        ("text_hash", Blob),
    ],
};

const NAMES: Table = Table {
    name: "names",
    columns: &[("file_id", Int), ("n_lines", Int), ("referenced", Blob), ("named", Blob)],
};

/// The tables that are copied group by group.
const CONTENTS: [Table; 5] = [EMBEDDERS, VECTORS, FILES, CHUNKS, NAMES];

/// The tables that are copied at the end, each after those that it refers to.
const OTHERS: [Table; 7] = [
    Table {
        name: "projects",
        columns: &[
            ("id", Int),
            ("name", Text),
            ("reference", Text),
            ("source_path", Text),
            ("ingestion_date", Text),
            ("content_hash", Text),
            ("last_updated", Text),
            ("generation", Int),
            ("options", Text),
        ],
    },
    Table {
        name: "project_files",
        columns: &[
            ("project_id", Int),
            ("path", Text),
            ("file_id", Int),
            ("file_hash", Blob),
            ("n_chunks", Int),
            ("size", Int),
            ("modified_ns", Int),
            ("changed_ns", Int),
            ("read_ns", Int),
        ],
    },
    Table { name: "kept_versions", columns: &[("project_id", Int), ("file_id", Int), ("replaced_in", Int)] },
    Table { name: "group_members", columns: &[("group_id", Int), ("member_id", Int)] },
    Table {
        name: "ingestion_status",
        columns: &[
            ("id", Int),
            ("project_id", Int),
            ("status", Text),
            ("progress", Int),
            ("current_file", Text),
            ("total_files", Int),
            ("processed_files", Int),
            ("started_at", Text),
            ("completed_at", Text),
            ("error", Text),
        ],
    },
    Table {
        name: "context_uses",
        columns: &[
            ("id", Int),
            ("project_id", Int),
            ("used_at", Text),
            ("kind", Text),
            ("reason", Text),
            ("blocks", Int),
            ("tokens", Int),
            ("whole_tokens", Int),
            ("best_score", Real),
            ("mean_score", Real),
            ("extract_us", Int),
            ("search_us", Int),
            ("rank_us", Int),
            ("format_us", Int),
            ("total_us", Int),
            ("query", Text),
            ("helpful", Bool),
            ("note", Text),
        ],
    },
    Table {
        name: "jobs",
        columns: &[
            ("id", Int),
            ("source", Text),
            ("branch", Text),
            ("name", Text),
            ("every_seconds", Int),
            ("due_at", Text),
            ("failures", Int),
            ("error", Text),
            ("holder", Text),
            ("started_at", Text),
            ("lease_until", Text),
        ],
    },
];

/// What a copy has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Number of projects, groups included.
    pub projects: u64,
    /// Number of files.
    pub files: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Number of stored vectors.
    pub vectors: u64,
    /// Files that an earlier, unfinished copy had brought.
    pub files_before: u64,
}

impl Store {
    /// Copies everything of this database into `to`, which has no projects; it may have what an unfinished copy of this database has
    /// left. `copied` gets the number of files so far and of those to copy.
    ///
    /// Reads one state of this database, whatever others write meanwhile. Fails if `to` has anything else.
    pub fn copy_to(&self, to: &mut Self, copied: &mut dyn FnMut(u64, u64)) -> Result<Copied, StoreError> {
        to.check_writable()?;
        if to.count("projects")? > 0 {
            return Err(to.not_empty());
        }
        self.read(|connection| {
            let _snapshot = connection.snapshot()?;
            Ok(self.copy_snapshot(to, copied))
        })?
    }

    fn copy_snapshot(&self, to: &mut Self, copied: &mut dyn FnMut(u64, u64)) -> Result<Copied, StoreError> {
        for table in [VECTORS, FILES] {
            let last = to.last_id(table)?;
            if self.digest_of_keys(table, last)? != to.digest_of_keys(table, last)? {
                return Err(to.not_empty());
            }
        }
        let files_before = to.count(FILES.name)?;
        let n_files = self.count(FILES.name)? - files_before;
        self.copy_groups(to, &[EMBEDDERS], GROUP_VECTORS, &mut |_| ())?;
        self.copy_groups(to, &[VECTORS], GROUP_VECTORS, &mut |_| ())?;
        self.copy_groups(to, &[FILES, CHUNKS, NAMES], GROUP_FILES, &mut |n_copied| {
            copied(n_copied, n_files)
        })?;
        self.copy_others(to)?;
        let count = |table: &str| to.count(table);
        Ok(Copied {
            projects: count("projects")?,
            files: count("files")?,
            chunks: count("chunks")?,
            vectors: count("vectors")?,
            files_before,
        })
    }

    fn not_empty(&self) -> StoreError {
        StoreError::NotEmpty { path: self.place.path.clone() }
    }

    /// Copies the rows of the first table behind the last one that `to` has, and those of the other tables that belong to them, in
    /// groups of `n_rows`. `copied` gets the number of rows of the first table after each group.
    fn copy_groups(
        &self,
        to: &mut Self,
        tables: &[Table],
        n_rows: u64,
        copied: &mut dyn FnMut(u64),
    ) -> Result<(), StoreError> {
        let Some(&first) = tables.first() else { return Ok(()) };
        let (mut last, mut n_copied) = (to.last_id(first)?, 0);
        while let Some(until) = self.last_of_group(first, last, n_rows)? {
            let group: Vec<Vec<Cells>> =
                tables.iter().map(|table| self.rows_within(*table, last, until)).collect::<Result<_, _>>()?;
            to.write(|connection| {
                tables.iter().zip(&group).try_for_each(|(table, rows)| insert(connection, *table, rows))
            })?;
            n_copied += group.first().map_or(0, Vec::len) as u64;
            copied(n_copied);
            last = until;
        }
        Ok(())
    }

    /// Copies what is not copied yet, and compares everything.
    fn copy_others(&self, to: &mut Self) -> Result<(), StoreError> {
        let path = to.place.path.clone();
        to.write(|connection| {
            OTHERS.into_iter().try_for_each(|table| self.copy_table(connection, table))?;
            for table in CONTENTS.into_iter().chain(OTHERS) {
                let columns = table.columns;
                if digest(&self.connection, table, columns, "", &[])?
                    != digest(connection, table, columns, "", &[])?
                {
                    let path = path.clone();
                    return Err(sql::Error::Store(StoreError::CopyDiffers { path, table: table.name }));
                }
            }
            Ok(())
        })
    }

    fn copy_table(&self, to: &Connection, table: Table) -> sql::Result<()> {
        let mut rows = Vec::new();
        let select = format!("SELECT {} FROM {}", table.names(), table.name);
        self.connection.each(&select, &[], |row| {
            rows.push(cells(row, table.columns)?);
            if rows.len() == GROUP_ROWS {
                insert(to, table, &rows)?;
                rows.clear();
            }
            Ok(())
        })?;
        insert(to, table, &rows)
    }

    fn count(&self, table: &str) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM {table}");
        Ok(self.read_one(&sql, &[], |row| row.unsigned(0))?.unwrap_or_default())
    }

    /// The largest key of a table, 0 if it has no rows.
    fn last_id(&self, table: Table) -> Result<i64, StoreError> {
        let sql = format!("SELECT coalesce(max({}), 0) FROM {}", table.key(), table.name);
        Ok(self.read_one(&sql, &[], |row| row.get(0))?.unwrap_or_default())
    }

    /// The last id of the next rows behind `last`; `None` if there are none.
    fn last_of_group(&self, table: Table, last: i64, n_rows: u64) -> Result<Option<i64>, StoreError> {
        let sql = format!(
            "SELECT max(id) FROM (SELECT id FROM {} WHERE id > ?1 ORDER BY id LIMIT ?2) AS next",
            table.name
        );
        Ok(self.read_one(&sql, &params![last, n_rows], |row| row.get::<Option<i64>>(0))?.flatten())
    }

    /// The rows whose keys are behind `last`, up to `until`.
    fn rows_within(&self, table: Table, last: i64, until: i64) -> Result<Vec<Cells>, StoreError> {
        let (key, columns) = (table.key(), table.names());
        let sql = format!("SELECT {columns} FROM {} WHERE {key} > ?1 AND {key} <= ?2", table.name);
        self.read_all(&sql, &params![last, until], |row| cells(row, table.columns))
    }

    /// A digest of the first columns of the rows up to the key `last`, which tell the rows of two databases apart.
    fn digest_of_keys(&self, table: Table, last: i64) -> Result<Digest, StoreError> {
        let condition = format!("WHERE {} <= ?1", table.key());
        let keys = &table.columns[..3];
        self.read(|connection| digest(connection, table, keys, &condition, &params![last]))
    }
}

impl Table {
    fn key(self) -> &'static str {
        self.columns[0].0
    }

    fn names(self) -> String {
        names(self.columns)
    }
}

fn names(columns: &[(&str, Kind)]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Inserts rows with their ids, and lets the database number later rows from there.
fn insert(connection: &Connection, table: Table, rows: &[Cells]) -> sql::Result<()> {
    let rows: Vec<Vec<Value<'_>>> = rows.iter().map(|row| row.iter().map(Cell::value).collect()).collect();
    connection.insert(Insert { table: table.name, columns: table.columns, then: "" }, &rows)?;
    if table.key() == "id" && connection.sqlite().is_none() {
        let name = table.name;
        let sql = format!("SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM {name}");
        connection.execute(&sql, &[])?;
    }
    Ok(())
}

/// The values of a row, whatever database they are from.
type Cells = Vec<Cell>;

#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

fn cells(row: Row<'_>, columns: &[(&str, Kind)]) -> sql::Result<Cells> {
    let cell = |(column, (_, kind)): (usize, &(&str, Kind))| {
        Ok(match (row.value(column)?, kind) {
            (Value::Null, _) => Cell::Null,
            // SQLite has no truth values.
            (Value::Int(number), Bool) => Cell::Bool(number != 0),
            (Value::Bool(is), Bool) => Cell::Bool(is),
            (Value::Int(number), Int) => Cell::Int(number),
            (Value::Real(number), Real) => Cell::Real(number),
            // PostgreSQL has no texts with the letter 0.
            (Value::Text(text), Text) => Cell::Text(text.replace('\0', "\u{FFFD}")),
            (Value::Blob(bytes), Blob) => Cell::Blob(bytes.to_owned()),
            (value, _) => {
                return Err(sql::Error::Unexpected(format!(
                    "column {column} of a row has the value {value:?}"
                )));
            }
        })
    };
    columns.iter().enumerate().map(cell).collect()
}

impl Cell {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is) => Value::Bool(*is),
            Self::Int(number) => Value::Int(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        }
    }

    /// Adds it to a hash, so that no two rows give the same bytes.
    fn hash(&self, hasher: &mut blake3::Hasher) {
        let (kind, bytes): (u8, &[u8]) = match self {
            Self::Null => (0, &[]),
            Self::Bool(is) => (1, &[u8::from(*is)]),
            Self::Int(number) => (2, &number.to_le_bytes()),
            Self::Real(number) => (3, &number.to_le_bytes()),
            Self::Text(text) => (4, text.as_bytes()),
            Self::Blob(bytes) => (5, bytes),
        };
        hasher.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
}

/// Number of rows, and the sum of their hashes: databases order texts differently.
type Digest = (u64, u128);

fn digest(
    connection: &Connection,
    table: Table,
    columns: &[(&str, Kind)],
    condition: &str,
    params: &[Value<'_>],
) -> sql::Result<Digest> {
    let (mut n_rows, mut sum) = (0, 0_u128);
    let sql = format!("SELECT {} FROM {} {condition}", names(columns), table.name);
    connection.each(&sql, params, |row| {
        let mut hasher = blake3::Hasher::new();
        cells(row, columns)?.iter().for_each(|cell| cell.hash(&mut hasher));
        let mut hash = [0; 16];
        hasher.finalize_xof().fill(&mut hash);
        sum = sum.wrapping_add(u128::from_le_bytes(hash));
        n_rows += 1;
        Ok(())
    })?;
    Ok((n_rows, sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_every_table_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("craig.db")).unwrap();
        // The table `binding` is about the place of a database.
        let sql = "SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
                   WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> 'binding'";
        let mut stored: Vec<String> = store.read_all(sql, &[], |row| row.get(0)).unwrap();
        let tables = CONTENTS.into_iter().chain(OTHERS);
        let mut copied: Vec<String> = tables
            .flat_map(|table| table.columns.iter().map(move |(column, _)| format!("{}.{column}", table.name)))
            .collect();
        stored.sort();
        copied.sort();
        assert_eq!(copied, stored);
    }
}
