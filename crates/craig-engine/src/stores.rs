//! Connections to the database: a few that are kept open, more while all of them are in use.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use craig_source::{Root, leave_out_database};
use craig_store::{RepositoryDatabase, Role, Store, StoreError};

use crate::lock::locked;
use crate::{Config, EngineError};

/// Connections that are kept while nobody uses them. Each has a page cache of its own.
const MAX_IDLE: usize = 4;

/// How long a write waits for that of another process, unless an answer waits for it.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);

/// The folder of a workspace in which an editor has Craig keep its index.
pub const WORKSPACE_FOLDER: &str = ".puku";

/// Connections to the database of one engine. A connection serves one thread at a time.
pub(crate) struct StorePool {
    /// The one that was used last is used next: its page cache is warm. Held only to take a connection or give it back.
    idle: Mutex<Vec<Store>>,
}

/// A connection that goes back to its pool when it is dropped.
pub(crate) struct PooledStore<'p> {
    /// `None` only while it is dropped.
    store: Option<Store>,
    pool: &'p StorePool,
}

impl StorePool {
    /// Opens nothing yet.
    pub(crate) fn new() -> Self {
        Self { idle: Mutex::default() }
    }

    /// A connection that nobody else uses: an idle one, else a new one, for which the database is made when it is missing.
    /// When idle ones turn out to be of a database that was changed or replaced, all are closed, and `on_replaced` is called.
    pub(crate) fn get(
        &self,
        config: &Config,
        on_replaced: impl FnOnce(),
    ) -> Result<PooledStore<'_>, EngineError> {
        let idle = self.idle().pop();
        let store = match idle {
            Some(mut store) if store.is_reusable() => {
                store.set_patience(WRITE_PATIENCE)?;
                store
            }
            Some(outdated) => {
                drop(outdated);
                // Closed after the lock is released.
                let others = mem::take(&mut *self.idle());
                drop(others);
                on_replaced();
                open_store(config)?
            }
            None => open_store(config)?,
        };
        Ok(PooledStore { store: Some(store), pool: self })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Store>> {
        locked(&self.idle)
    }
}

impl Drop for PooledStore<'_> {
    fn drop(&mut self) {
        if let Some(store) = self.store.take().filter(Store::is_reusable) {
            let mut idle = self.pool.idle();
            if idle.len() < MAX_IDLE {
                idle.push(store);
            }
        }
    }
}

impl Deref for PooledStore<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store.as_ref().expect("a connection is there until it is dropped")
    }
}

impl DerefMut for PooledStore<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.store.as_mut().expect("a connection is there until it is dropped")
    }
}

fn open_store(config: &Config) -> Result<Store, EngineError> {
    config.database.check()?;
    if config.must_exist && !config.database.may_exist() {
        return Err(EngineError::NoDatabase { path: config.database.to_path() });
    }
    let store = match workspace_database(config)? {
        Some(database) => Store::open_in_repository(&database)?,
        None => Store::open_at(&config.database, config.data_folder.as_deref())?,
    };
    leave_out_database(store.own_paths());
    Ok(if config.is_read_only { store.into_read_only() } else { store })
}

/// The database if it is in a workspace, which may have come from anybody.
fn workspace_database(config: &Config) -> Result<Option<RepositoryDatabase>, EngineError> {
    let Some(path) = config.database.file() else { return Ok(None) };
    let folder =
        path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == WORKSPACE_FOLDER));
    let (Some(folder), Some(file)) = (folder, path.file_name()) else { return Ok(None) };
    let open_error =
        |reason: &str| StoreError::Open { path: path.to_owned(), source: std::io::Error::other(reason) };
    let workspace = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let data_folder = config.data_folder.clone();
    Ok(Some(RepositoryDatabase {
        root: Root::open(workspace)?,
        folder: WORKSPACE_FOLDER,
        file: file.to_str().ok_or_else(|| open_error("its name is not UTF-8"))?.to_owned(),
        role: Role::Workspace,
        data_folder: data_folder
            .ok_or_else(|| open_error("there is no home directory to store its identity in"))?,
    }))
}
