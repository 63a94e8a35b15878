//! Databases in repositories.
//!
//! A clone can bring a file under any name, so such a database is only opened where the user's data folder says that this
//! user made this very file: by the secret that both hold, and by what the file system says of it, which git cannot
//! bring along. Everything else is replaced without being read. What is derived from the database and its locks lie in
//! the data folder as well, out of a clone's reach.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use craig_source::{FileIdentity, OwnEntry, OwnFolder, Root, private};
use rusqlite::OpenFlags;
use serde::{Deserialize, Serialize};

use crate::access::{LOG, ROLLBACK_JOURNAL, SHARED_MEMORY};
use crate::store::Place;
use crate::{Role, Store, StoreError};

/// A database in a repository: where it lies, and what it is for.
#[derive(Clone, Debug)]
pub struct RepositoryDatabase {
    /// The repository.
    pub root: Root,
    /// The folder of the root that Craig keeps for itself.
    pub folder: &'static str,
    /// Name of the database in it.
    pub file: String,
    /// What it is for.
    pub role: Role,
    /// The user's folder for what Craig keeps.
    pub data_folder: PathBuf,
}

/// What the data folder keeps of a database.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Binding {
    /// What the database holds, too.
    secret: String,
    database: FileIdentity,
    /// The write-ahead log, which SQLite plays back when it opens the database.
    log: Option<FileIdentity>,
}

/// Files that SQLite keeps beside a database.
const SIDE_FILES: [&str; 3] = [LOG, SHARED_MEMORY, ROLLBACK_JOURNAL];

const BINDING: &str = "binding.json";

impl Store {
    /// Opens a database in a repository, making it when it is missing, or was made by anybody else.
    ///
    /// Fails when its folder is a link, when the file holds a user's index, and as [`open`](Self::open) does.
    pub fn open_in_repository(database: &RepositoryDatabase) -> Result<Self, StoreError> {
        let opening = Opening::begin(database).map_err(|error| database.io_error(error))?;
        match opening.bound().map_err(|error| database.io_error(error))? {
            Some(binding) => opening.open(&binding),
            None => opening.make(),
        }
    }

    fn secret(&self) -> Result<Option<String>, StoreError> {
        self.read_one("SELECT secret FROM binding", [], |row| row.get(0))
    }
}

impl RepositoryDatabase {
    /// The database file.
    fn path(&self) -> PathBuf {
        self.root.path().join(self.folder).join(&self.file)
    }

    /// Has the database made anew when it is next opened.
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
            flags: OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW,
        }
    }

    /// Where the data folder keeps what belongs to this database.
    fn derived_folder(&self) -> PathBuf {
        let identity = format!("{:?}\0{}\0{}", self.role, self.root.as_str(), self.path().display());
        let name = &blake3::hash(identity.as_bytes()).to_hex()[..32];
        self.bindings().join(name)
    }

    /// The folder of everything that is kept about databases inside of repositories.
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
        lock.lock()?;
        Ok(Self { database, folder, derived_folder, _lock: lock })
    }

    /// What is known of the database that is there; none unless this user made it, and its log.
    fn bound(&self) -> io::Result<Option<Binding>> {
        let Some(binding) = self.read_binding() else { return Ok(None) };
        let is_own = self.folder.entry(&self.database.file)?.identity() == Some(binding.database);
        let is_own_log = match self.folder.entry(&self.side_file(LOG))? {
            // One that has nothing to play back may be left by a process that was killed before it wrote its identity down.
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

    /// Makes the database in the place of whatever is there, without reading or writing that.
    fn make(self) -> Result<Store, StoreError> {
        self.refuse_an_index()?;
        self.clear().map_err(|error| self.database.io_error(error))?;
        let mut store = Store::prepare(self.database.place())?;
        store.write(|transaction| {
            transaction.execute("INSERT INTO binding (secret) VALUES (lower(hex(randomblob(32))))", [])
        })?;
        self.bind(&store, None)?;
        Ok(store)
    }

    /// A user may have put an index where this database belongs: that is not for us to remove.
    fn refuse_an_index(&self) -> Result<(), StoreError> {
        // One that has further names is not lost, and whoever closes it drops the locks of this process on it.
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

    /// Removes the database with all that was derived from it, and makes an empty file.
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

    /// Closes the database to others, and removes side files that Craig did not make: a rollback journal, which would be
    /// played back, and shared memory that is a link.
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

    /// Writes down by what the database is known again, unless `known` says it already.
    fn bind(&self, store: &Store, known: Option<&Binding>) -> Result<(), StoreError> {
        let unbound =
            || StoreError::Corrupt { path: self.database.path(), detail: "it holds no binding".into() };
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

    /// None when there is none that can be read: then the database is made anew.
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
