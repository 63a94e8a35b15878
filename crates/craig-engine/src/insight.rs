//! Analyses through the one door: dependencies, architecture, quality, relations.

use std::sync::Arc;

use craig_insight::{Analysis, Architecture, Dependencies, Quality, Relations, quality};
use craig_model::Cancellation;
use craig_store::{DerivedFile, Project, Store};

use crate::{Engine, EngineError};

const QUALITY: DerivedFile = DerivedFile { name: "quality", version: Quality::VERSION };

impl Engine {
    /// What the files of a project depend on: each other, and packages.
    pub fn dependencies(
        &self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Dependencies, EngineError> {
        let (_, analysis) = self.analysis(&*self.store()?, handle, cancellation)?;
        Ok(analysis.dependencies())
    }

    /// How a project is built: modules, layers, entry points, patterns.
    pub fn architecture(
        &self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Architecture, EngineError> {
        let (_, analysis) = self.analysis(&*self.store()?, handle, cancellation)?;
        Ok(analysis.architecture())
    }

    /// What a file, a folder or a symbol uses and is used by, and what a change of it would reach.
    pub fn relations(
        &self,
        handle: &str,
        target: &str,
        cancellation: &Cancellation,
    ) -> Result<Relations, EngineError> {
        let store = self.store()?;
        let (project, analysis) = self.analysis(&store, handle, cancellation)?;
        if !analysis.is_path(target) {
            let by_graph = self.read(&store, &project.reference, |project| {
                Ok(self.symbol_graph(&store, project, cancellation)?.relations(target))
            })?;
            if let Some(relations) = by_graph {
                return Ok(relations);
            }
        }
        Ok(analysis.relations(&store, project.id, target, &*self.pool()?)?)
    }

    /// Functions by complexity, duplicated code, long files, notes and tests of a project.
    pub fn quality(&self, handle: &str, cancellation: &Cancellation) -> Result<Quality, EngineError> {
        let is_cancelled = || cancellation.is_cancelled();
        let (store, pool) = (self.store()?, self.pool()?);
        self.read(&store, handle, |project| {
            let kept = store.read_derived(project, QUALITY);
            if let Some(report) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                return Ok(report);
            }
            let report = quality(&store, project.id, &pool, &is_cancelled)?;
            if let Ok(bytes) = serde_json::to_vec(&report) {
                store.write_derived(project, QUALITY, &bytes);
            }
            Ok(report)
        })
    }

    /// A project and its analysis, as the store has it now.
    fn analysis(
        &self,
        store: &Store,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<(Project, Arc<Analysis>), EngineError> {
        let project = self.find(store, handle)?;
        let is_cancelled = || cancellation.is_cancelled();
        let analysis = self.analysis_of(&project, || {
            self.read(store, &project.reference, |project| {
                let analysis = Analysis::load(store, project.id, &*self.pool()?, &is_cancelled)?;
                Ok((project.generation, Arc::new(analysis)))
            })
        })?;
        Ok((project, analysis))
    }
}
