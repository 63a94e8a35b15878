//! The stored references and names of files.

use craig_chunk::names::Names;
use craig_chunk::{Definitions, Packed, References, Symbol};
use serde::{Deserialize, Serialize};

use crate::read::{FileRecord, RECORD, in_order};
use crate::sealed::{sealed, unsealed};
use crate::sql::{self, Insert, Kind, Row, ToValue as _, Value, params};
use crate::{FileId, ProjectId, Store, StoreError};

/// The packed definitions, references and names of a file.
#[derive(Clone, Debug)]
pub struct PackedFile {
    record: FileRecord,
    n_lines: u32,
    definitions: Vec<u8>,
    referenced: Vec<u8>,
    named: Vec<u8>,
}

/// The definitions, references and names of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// What is known of it.
    pub record: FileRecord,
    /// Lines of its text.
    pub n_lines: u32,
    /// Definitions in file order.
    pub symbols: Vec<Symbol>,
    /// Its references.
    pub references: References,
    /// Its names; empty if only its references were loaded.
    pub names: Names,
}

impl PackedFile {
    /// What is known of the file.
    pub fn record(&self) -> &FileRecord {
        &self.record
    }

    /// Reads what is packed: to be called on many threads for many files.
    ///
    /// Fails with [`StoreError::DamagedText`] if it is not what was stored.
    pub fn unpacked(self) -> Result<NamedFile, StoreError> {
        match self.contents() {
            Some((symbols, references, names)) => {
                Ok(NamedFile { record: self.record, n_lines: self.n_lines, symbols, references, names })
            }
            None => Err(StoreError::DamagedText { path: self.record.path }),
        }
    }

    fn contents(&self) -> Option<(Vec<Symbol>, References, Names)> {
        let (references, names) = unsealed_names(&self.referenced, &self.named)?;
        let definitions = Definitions::from_packed(unsealed(&self.definitions)?)?;
        Some((definitions.symbols, references, names))
    }
}

impl Store {
    /// Loads what these files of a project refer to; those that are gone or have no text are left out.
    pub fn load_references(
        &self,
        project: ProjectId,
        files: &[FileId],
    ) -> Result<Vec<PackedFile>, StoreError> {
        self.load_packed(project, files, "?3")
    }

    /// The same with what they name.
    pub fn load_names(&self, project: ProjectId, files: &[FileId]) -> Result<Vec<PackedFile>, StoreError> {
        self.load_packed(project, files, "coalesce(n.named, ?3)")
    }

    fn load_packed(
        &self,
        project: ProjectId,
        files: &[FileId],
        named: &str,
    ) -> Result<Vec<PackedFile>, StoreError> {
        let sql = format!(
            "SELECT {RECORD}, f.definitions, coalesce(n.n_lines, 0), coalesce(n.referenced, ?3), {named}
             FROM files f LEFT JOIN names n ON n.file_id = f.id WHERE f.id = ANY(?2) AND f.content IS NOT NULL"
        );
        let no_bytes: &[u8] = &[];
        let found =
            self.read_all(&sql, &params![project, Value::ints(files), no_bytes], PackedFile::from_row)?;
        Ok(in_order(files, found, |file| file.record.id))
    }
}

impl PackedFile {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        Ok(Self {
            record: FileRecord::from_row(row)?,
            definitions: row.get(5)?,
            n_lines: row.get(6)?,
            referenced: row.get(7)?,
            named: row.get(8)?,
        })
    }
}

/// The references and names of a file, as they are stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SealedNames {
    pub(crate) n_lines: u32,
    pub(crate) referenced: Vec<u8>,
    pub(crate) named: Vec<u8>,
}

impl SealedNames {
    pub(crate) fn new(text: &str, packed: Packed) -> Self {
        Self {
            n_lines: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
            referenced: sealed(packed.references),
            named: sealed(packed.names),
        }
    }

    /// A row of [`NAMES`].
    pub(crate) fn row(&self, file: FileId) -> Vec<Value<'_>> {
        let Self { n_lines, referenced, named } = self;
        vec![Value::Int(i64::from(&file)), n_lines.to_value(), referenced.to_value(), named.to_value()]
    }
}

pub(crate) const NAMES: Insert = Insert {
    table: "names",
    columns: &[
        ("file_id", Kind::Int),
        ("n_lines", Kind::Int),
        ("referenced", Kind::Blob),
        ("named", Kind::Blob),
    ],
    then: "",
};

/// What was sealed; `None` if it has changed.
pub(crate) fn unsealed_names(referenced: &[u8], named: &[u8]) -> Option<(References, Names)> {
    let packed = Packed { references: unsealed(referenced)?.to_vec(), names: unsealed(named)?.to_vec() };
    packed.names()
}
