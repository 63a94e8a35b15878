//! Calls of the engine, which is synchronous, on threads where they may take their time.

use std::sync::Arc;
use std::time::Duration;

use craig_engine::{Engine, EngineError, Visibility};
use craig_gateway::{Guest, Shares};

use super::failure::Failure;

/// Maximum number of calls that one user has running; further calls wait in order.
const MAX_CONCURRENT: usize = 4;

/// How long a call waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Calls of one kind, with a bounded number in parallel.
pub(super) struct EngineCalls {
    engine: Arc<Engine>,
    /// The key that these calls are for; `None` if there is one user.
    guest: Option<Guest>,
    shares: Arc<Shares>,
}

impl EngineCalls {
    pub(super) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, guest: None, shares: Arc::new(Shares::new(MAX_CONCURRENT)) }
    }

    /// The same for a guest, who shares the threads with others.
    pub(super) fn for_guest(&self, guest: &Guest) -> Self {
        let engine = Arc::clone(&guest.engine);
        Self { engine, guest: Some(guest.clone()), shares: Arc::clone(&self.shares) }
    }

    /// The same for a client that may see nothing.
    pub(super) fn without_projects(&self) -> Self {
        let engine = Arc::new(self.engine.within(Visibility::Only(Arc::default())));
        Self { engine, guest: None, shares: Arc::clone(&self.shares) }
    }

    /// Does some work with the engine.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        let user = self.guest.as_ref().map(|guest| &guest.user);
        let share = tokio::time::timeout(MAX_WAIT, self.shares.acquire(user)).await;
        let share = share.map_err(|_| busy())?.map_err(Failure::internal)?;
        let engine = Arc::clone(&self.engine);
        let call = move || {
            let done = work(&engine);
            drop(share);
            done
        };
        let done = tokio::task::spawn_blocking(call).await.map_err(Failure::internal)?;
        done.map_err(|error| self.failure(error))
    }

    /// The failure for an error of the engine; a guest does not learn about the server's database.
    fn failure(&self, error: EngineError) -> Failure {
        match self.guest.as_ref().and_then(|guest| guest.message_instead_of(&error)) {
            Some(message) => Failure::new(message, "try again later; the server's log shows the cause"),
            None => error.into(),
        }
    }
}

fn busy() -> Failure {
    Failure::new(
        "the server is busy with earlier calls",
        "wait for their answers, and send fewer calls at once",
    )
}
