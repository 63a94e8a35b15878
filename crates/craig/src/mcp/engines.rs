//! Engines for many requests at a time: the engine is synchronous and belongs to one thread.

use std::sync::Arc;

use craig_engine::{Config, Engine, EngineError};
use tokio::sync::Semaphore;

use super::failure::Failure;

/// Requests that are worked on at the same time; the others wait in their order.
const MOST_AT_WORK: usize = 4;

/// Engines on one database, opened when they are first needed: a handshake does not wait for a disk.
pub(super) struct Engines {
    engines: craig_engine::Engines,
    turns: Arc<Semaphore>,
}

impl Engines {
    pub(super) fn new(config: Config) -> Self {
        Self { engines: craig_engine::Engines::new(config), turns: Arc::new(Semaphore::new(MOST_AT_WORK)) }
    }

    /// Does some work with an engine, on a thread where it may take its time.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
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
