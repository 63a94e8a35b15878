//! Engines for many requests at a time: the engine is synchronous and belongs to one thread.

use std::path::PathBuf;
use std::sync::Arc;

use craig_engine::{Config, Engine, EngineError};
use tokio::sync::Semaphore;

use super::failure::Failure;
use super::tools::Abilities;

/// Requests that are worked on at the same time; the others wait in their order.
const MOST_AT_WORK: usize = 4;

/// Engines on one database, opened when they are first needed: a handshake does not wait for a disk.
pub(super) struct Engines {
    engines: craig_engine::Engines,
    turns: Arc<Semaphore>,
    /// The database, where it is not made when it is missing.
    must_exist: Option<PathBuf>,
}

impl Engines {
    pub(super) fn new(config: Config, abilities: Abilities) -> Self {
        let must_exist = (abilities == Abilities::ReadOnly).then(|| config.database.clone());
        let turns = Arc::new(Semaphore::new(MOST_AT_WORK));
        Self { engines: craig_engine::Engines::new(config), turns, must_exist }
    }

    /// Does some work with an engine, on a thread where it may take its time.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        if let Some(path) = self.must_exist.clone().filter(|path| !path.exists()) {
            return Err(EngineError::NoDatabase { path }.into());
        }
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(Failure::internal)?;
        let engines = Arc::clone(self);
        let task = move || {
            let done = engines.engines.run(work);
            drop(turn);
            done
        };
        let done = tokio::task::spawn_blocking(task).await.map_err(Failure::internal)?;
        Ok(done?)
    }
}
