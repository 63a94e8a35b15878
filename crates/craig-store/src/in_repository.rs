//! Databases in repositories.
//!
//! A clone can contain a file of any name. So such a database is opened only if the user's data folder proves that this user
//! made this very file: by a secret that both hold, and by the file's identity in the file system, which git cannot set.
//! Anything else is replaced without being read. What is derived from the database, and its locks, are in the data folder as
//! well, out of a clone's reach.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use craig_source::{FileIdentity, OwnEntry, OwnFolder, Root, private};
use rusqlite::OpenFlags;
use serde::{Deserialize, Serialize};

use crate::access::{LOG, ROLLBACK_JOURNAL, SHARED_MEMORY};
use crate::lock::lock_within;
use crate::sql::params;
use crate::store::{OpenedBy, Place};
use crate::{Role, Store, StoreError};

/// A database in a repository: where it is, and what it is for.
#[derive(Clone, Debug)]
pub struct RepositoryDatabase {
    /// The repository.
    pub root: Root,
    /// Craig's own folder in the repository.
    pub folder: &'static str,
    /// Name of the database in it.
    pub file: String,
    /// Its role.
    pub role: Role,
    /// The user's data folder.
    pub data_folder: PathBuf,
}

/// How long opening waits for another process that opens the same database.
const OPENING_TIMEOUT: Duration = Duration::from_secs(5);

/// The record of a database in the data folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Binding {
    /// Also stored in the database.
    secret: String,
    database: FileIdentity,
    /// The write-ahead log, which SQLite plays back when it opens the database.
    log: Option<FileIdentity>,
}

/// Files that SQLite keeps next to a database.
const SIDE_FILES: [&str; 3] = [LOG, SHARED_MEMORY, ROLLBACK_JOURNAL];

const BINDING: &str = "binding.json";

impl Store {
    /// Opens a database in a repository. One that is missing, or was made by anybody else, is replaced by an empty one.
    ///
    /// Fails if its folder is a link, if the file holds a user's index, and as [`open`](Self::open) does.
    pub fn open_in_repository(database: &RepositoryDatabase) -> Result<Self, StoreError> {
        let opening = Opening::begin(database).map_err(|error| database.io_error(error))?;
        match opening.bound().map_err(|error| database.io_error(error))? {
            Some(binding) => opening.open(&binding),
            None => opening.make(),
        }
    }

    fn secret(&self) -> Result<Option<String>, StoreError> {
        self.read_one("SELECT secret FROM binding", &params![], |row| row.get(0))
    }
}

impl RepositoryDatabase {
    /// The database file.
    fn path(&self) -> PathBuf {
        self.root.path().join(self.folder).join(&self.file)
    }

    /// Makes sure that the database is replaced by an empty one when it is next opened.
    pub fn discard(&self) -> Result<(), StoreError> {
        match std::fs::remove_file(self.derived_folder().join(BINDING)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io_error(error)),
            _ => Ok(()),
        }
    }

    fn place(&self) -> Place {
        Place {
            path: self.path(),
            role: self.role,
            derived_folder: self.derived_folder(),
            opened_by: OpenedBy::File(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW),
            is_read_only: false,
        }
    }

    /// The folder for this database in the data folder.
    fn derived_folder(&self) -> PathBuf {
        let identity = format!("{:?}\0{}\0{}", self.role, self.root.as_str(), self.path().display());
        let name = &blake3::hash(identity.as_bytes()).to_hex()[..32];
        self.bindings().join(name)
    }

    /// The folder for all databases in repositories.
    fn bindings(&self) -> PathBuf {
        self.data_folder.join("inside")
    }

    fn io_error(&self, source: io::Error) -> StoreError {
        StoreError::Open { path: self.path(), source }
    }
}

/// The opening of a database, during which no other process opens it.
struct Opening<'i> {
    database: &'i RepositoryDatabase,
    folder: OwnFolder,
    derived_folder: PathBuf,
    _lock: File,
}

impl<'i> Opening<'i> {
    fn begin(database: &'i RepositoryDatabase) -> io::Result<Self> {
        let folder = OwnFolder::make(&database.root, database.folder)?;
        let derived_folder = database.derived_folder();
        private::create_folder(&derived_folder).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("{}, by which it is known again: {error}", derived_folder.display()),
            )
        })?;
        private::restrict_tree(&database.bindings())?;
        let lock = private::file_options().create(true).write(true).open(derived_folder.join("open.lock"))?;
        lock_within(&lock, OPENING_TIMEOUT).map_err(|error| match error {
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::WouldBlock, "another process has been opening it for 5 seconds")
            }
            TryLockError::Error(error) => error,
        })?;
        Ok(Self { database, folder, derived_folder, _lock: lock })
    }

    /// The binding of the database that is there; `None` unless this user made it and its log.
    fn bound(&self) -> io::Result<Option<Binding>> {
        let Some(binding) = self.read_binding() else { return Ok(None) };
        let is_own = self.folder.entry(&self.database.file)?.identity() == Some(binding.database);
        let is_own_log = match self.folder.entry(&self.side_file(LOG))? {
            // An empty one has nothing to play back: a process was killed before it stored the log's identity.
            OwnEntry::Nothing | OwnEntry::EmptyFile(_) => true,
            OwnEntry::File(log) => binding.log == Some(log),
            OwnEntry::Foreign => false,
        };
        Ok((is_own && is_own_log).then_some(binding))
    }

    fn open(self, binding: &Binding) -> Result<Store, StoreError> {
        self.tidy().map_err(|error| self.database.io_error(error))?;
        let store = Store::prepare(self.database.place())?;
        if store.secret()?.as_deref() != Some(&binding.secret) {
            drop(store);
            return self.make();
        }
        self.bind(&store, Some(binding))?;
        Ok(store)
    }

    /// Replaces whatever is there by an empty database, without reading or writing it.
    fn make(self) -> Result<Store, StoreError> {
        self.refuse_an_index()?;
        self.clear().map_err(|error| self.database.io_error(error))?;
        let mut store = Store::prepare(self.database.place())?;
        store.write(|connection| {
            connection.execute("INSERT INTO binding (secret) VALUES (lower(hex(randomblob(32))))", &params![])
        })?;
        self.bind(&store, None)?;
        Ok(store)
    }

    /// Fails if the user has put an index where this database belongs: it must not be removed.
    fn refuse_an_index(&self) -> Result<(), StoreError> {
        // A file with other links is not lost when this one is removed; and closing it would drop this process's locks on it.
        if !matches!(self.folder.entry(&self.database.file), Ok(OwnEntry::File(_))) {
            return Ok(());
        }
        let mut header = [0; 72];
        let read = self.folder.read(&self.database.file).and_then(|mut file| file.read_exact(&mut header));
        match read.ok().and_then(|()| Role::from_header(&header)) {
            Some(found @ Role::Index) => {
                Err(StoreError::OtherRole { path: self.database.path(), found, wanted: self.database.role })
            }
            _ => Ok(()),
        }
    }

    /// Removes the database with everything derived from it, and makes an empty file.
    fn clear(&self) -> io::Result<()> {
        for ending in SIDE_FILES.into_iter().chain([""]) {
            self.folder.remove(&self.side_file(ending))?;
        }
        for entry in std::fs::read_dir(&self.derived_folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        self.folder.create(&self.database.file).map(drop)
    }

    /// Closes the database to others, and removes files next to it that Craig did not create: a rollback journal, which
    /// would be played back, and shared memory that is a link.
    fn tidy(&self) -> io::Result<()> {
        for ending in ["", LOG] {
            // The log may be gone.
            let _ = private::restrict(&self.folder.path().join(self.side_file(ending)));
        }
        self.folder.remove(&self.side_file(ROLLBACK_JOURNAL))?;
        let shared_memory = self.side_file(SHARED_MEMORY);
        match self.folder.entry(&shared_memory)? {
            OwnEntry::Foreign => self.folder.remove(&shared_memory),
            _ => Ok(()),
        }
    }

    /// Stores the binding of the database, unless it is `known`.
    fn bind(&self, store: &Store, known: Option<&Binding>) -> Result<(), StoreError> {
        let unbound =
            || StoreError::Corrupt { path: self.database.path(), detail: "it contains no binding".into() };
        let binding = Binding {
            secret: store.secret()?.ok_or_else(unbound)?,
            database: self
                .identity("")?
                .ok_or_else(|| self.database.io_error(io::ErrorKind::NotFound.into()))?,
            log: self.identity(LOG)?,
        };
        match known == Some(&binding) {
            true => Ok(()),
            false => {
                write_binding(&self.derived_folder, &binding).map_err(|error| self.database.io_error(error))
            }
        }
    }

    fn identity(&self, ending: &str) -> Result<Option<FileIdentity>, StoreError> {
        let entry = self.folder.entry(&self.side_file(ending));
        Ok(entry.map_err(|error| self.database.io_error(error))?.identity())
    }

    /// `None` if there is none that can be read: then the database is replaced.
    fn read_binding(&self) -> Option<Binding> {
        serde_json::from_slice(&std::fs::read(self.derived_folder.join(BINDING)).ok()?).ok()
    }

    fn side_file(&self, ending: &str) -> String {
        format!("{}{ending}", self.database.file)
    }
}

fn write_binding(folder: &Path, binding: &Binding) -> io::Result<()> {
    let unfinished = folder.join("binding.tmp");
    let mut file = private::file_options().create(true).truncate(true).write(true).open(&unfinished)?;
    serde_json::to_writer(&mut file, binding)?;
    std::fs::rename(unfinished, folder.join(BINDING))
}
