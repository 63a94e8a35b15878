//! Engines for many threads: an engine belongs to one thread at a time.

use std::sync::{Arc, Mutex, PoisonError};

use crate::lookout::Lookout;
use crate::{Config, Engine, EngineError};

/// Engines on one database, opened when they are first needed and kept for the next who asks.
///
/// The lock is held only while an engine is taken or given back, so that the one used last, whose index is open, is used
/// next. What one of them knows of a project's directory the others know, too: where nothing has changed, none walks over it.
pub struct Engines {
    config: Config,
    lookout: Arc<Lookout>,
    idle: Mutex<Vec<Engine>>,
}

impl Engines {
    /// Opens nothing yet.
    pub fn new(config: Config) -> Self {
        Self { config, lookout: Arc::default(), idle: Mutex::default() }
    }

    /// Does some work with an engine, on this thread. Whoever calls sees to it that not too many do at once.
    pub fn run<T>(&self, work: impl FnOnce(&mut Engine) -> Result<T, EngineError>) -> Result<T, EngineError> {
        let mut engine = self.take()?;
        let done = work(&mut engine);
        // Nobody else gets at the database as long as this engine has it.
        if engine.is_alone() {
            return done;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
        done
    }

    fn take(&self) -> Result<Engine, EngineError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(engine) if !engine.is_outdated() => Ok(engine),
            _ => Ok(Engine::open(&self.config)?.with_lookout(Arc::clone(&self.lookout))),
        }
    }
}
