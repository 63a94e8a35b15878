//! Explainers of the folders that were asked about; each keeps its documentation up to date.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use craig_engine::{EngineError, ExplainConfig, Explainer, IndexReport, Sources};

use super::failure::Failure;
use super::tools::Abilities;

/// Explainers by the folder of their project, opened when they are first needed.
pub(super) struct Explainers {
    sources: Sources,
    abilities: Abilities,
    /// Requests come from many threads, and an explainer belongs to one at a time: each has a lock of its own, so that the
    /// one of all is held only to look one up.
    open: Mutex<HashMap<PathBuf, Arc<Mutex<Option<Explainer>>>>>,
}

impl Explainers {
    /// Opens nothing yet. `sources` say how explanations are made; the file of each project counts for itself.
    pub(super) fn new(sources: Sources, abilities: Abilities) -> Self {
        Self { sources, abilities, open: Mutex::default() }
    }

    /// Explains from the documentation of the project at `root` as its files are now.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        root: PathBuf,
        work: impl FnOnce(&Explainer) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<(T, IndexReport), Failure> {
        let explainers = Arc::clone(self);
        let task = move || explainers.run_here(&root, work);
        Ok(tokio::task::spawn_blocking(task).await.map_err(Failure::internal)??)
    }

    fn run_here<T>(
        &self,
        root: &Path,
        work: impl FnOnce(&Explainer) -> Result<T, EngineError>,
    ) -> Result<(T, IndexReport), EngineError> {
        let own = Arc::clone(
            self.open.lock().unwrap_or_else(PoisonError::into_inner).entry(root.to_owned()).or_default(),
        );
        let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
        let explainer = match &mut *own {
            Some(explainer) => explainer,
            none => none.insert(self.explainer(root)?),
        };
        let report = explainer.refresh()?;
        Ok((work(explainer)?, report))
    }

    fn explainer(&self, root: &Path) -> Result<Explainer, EngineError> {
        let config = ExplainConfig::of_project(&self.sources, root)?;
        match self.abilities {
            Abilities::All => Explainer::open(root, &config),
            Abilities::ReadOnly => Explainer::open_in_memory(root, &config),
        }
    }
}
