//! Analyses through the one door: dependencies, architecture, quality, relations.

use std::sync::Arc;

use craig_insight::{Analysis, Architecture, Dependencies, Quality, Relations, quality, relations_of_symbol};
use craig_model::Cancellation;
use craig_store::{DerivedFile, Project, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Engine, EngineError};

const ARCHITECTURE: DerivedFile = DerivedFile { name: "architecture", version: Analysis::VERSION };
const DEPENDENCIES: DerivedFile = DerivedFile { name: "dependencies", version: Analysis::VERSION };
const QUALITY: DerivedFile = DerivedFile { name: "quality", version: Quality::VERSION };

impl Engine {
    /// The dependencies of a project's files on each other and on packages.
    pub fn dependencies(
        &self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Dependencies, EngineError> {
        self.kept_report(handle, DEPENDENCIES, |store, project| {
            Ok(self.analysis(store, project, cancellation)?.dependencies())
        })
    }

    /// How a project is built: modules, layers, cycles, entry points.
    pub fn architecture(
        &self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Architecture, EngineError> {
        self.kept_report(handle, ARCHITECTURE, |store, project| {
            Ok(self.analysis(store, project, cancellation)?.architecture())
        })
    }

    /// The dependencies and dependents of a file, folder or symbol, and the files that a change of it affects.
    pub fn relations(
        &self,
        handle: &str,
        target: &str,
        cancellation: &Cancellation,
    ) -> Result<Relations, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let analysis = self.analysis(&store, project, cancellation)?;
            if !analysis.is_path(target)
                && let Some(relations) =
                    relations_of_symbol(&*self.symbol_graph(&store, project, cancellation)?, target)
            {
                return Ok(relations);
            }
            Ok(analysis.relations(&store, project.id, target, &*self.pool()?)?)
        })
    }

    /// Functions by complexity, duplicated code, long files, notes and tests of a project.
    pub fn quality(&self, handle: &str, cancellation: &Cancellation) -> Result<Quality, EngineError> {
        let is_cancelled = || cancellation.is_cancelled();
        self.kept_report(handle, QUALITY, |store, project| {
            Ok(quality(store, project.id, &*self.pool()?, &is_cancelled)?)
        })
    }

    /// The report that is stored with the index of a project, if it is of the present generation; otherwise the result
    /// of `make`, which is kept then.
    fn kept_report<T: Serialize + DeserializeOwned>(
        &self,
        handle: &str,
        file: DerivedFile,
        make: impl FnOnce(&Store, &Project) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let kept = store.read_derived(project, file);
            if let Some(report) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                return Ok(report);
            }
            let report = make(&store, project)?;
            if let Ok(bytes) = serde_json::to_vec(&report) {
                store.write_derived(project, file, &bytes);
            }
            Ok(report)
        })
    }

    /// The analysis of a project in a snapshot of the caller.
    fn analysis(
        &self,
        store: &Store,
        project: &Project,
        cancellation: &Cancellation,
    ) -> Result<Arc<Analysis>, EngineError> {
        let is_cancelled = || cancellation.is_cancelled();
        self.analysis_of(project, || {
            let analysis = Analysis::load(store, project.id, &*self.pool()?, &is_cancelled)?;
            Ok((project.generation, Arc::new(analysis)))
        })
    }
}
