//! Calls of the engine, which is synchronous, on threads where they may take their time.

use std::sync::Arc;

use craig_engine::{Engine, EngineError, Visibility};
use tokio::sync::Semaphore;

use super::failure::Failure;

/// Calls at the same time; the others wait in their order.
const MAX_CONCURRENT: usize = 4;

/// Calls of one kind, with a bounded number in parallel.
pub(super) struct EngineCalls {
    engine: Arc<Engine>,
    permits: Arc<Semaphore>,
}

impl EngineCalls {
    pub(super) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, permits: Arc::new(Semaphore::new(MAX_CONCURRENT)) }
    }

    /// The same for another engine, with the same bound.
    pub(super) fn with_engine(&self, engine: Arc<Engine>) -> Self {
        Self { engine, permits: Arc::clone(&self.permits) }
    }

    /// The same for a client that may see nothing.
    pub(super) fn without_projects(&self) -> Self {
        self.with_engine(Arc::new(self.engine.within(Visibility::Only(Arc::default()))))
    }

    /// Does some work with the engine.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Failure::internal)?;
        let engine = Arc::clone(&self.engine);
        let call = move || {
            let done = work(&engine);
            drop(permit);
            done
        };
        Ok(tokio::task::spawn_blocking(call).await.map_err(Failure::internal)??)
    }
}
