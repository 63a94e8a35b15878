//! Analyses through the one door: dependencies, architecture, quality, relations.

use std::collections::HashMap;
use std::sync::Arc;

use craig_insight::{Analysis, Architecture, Dependencies, Quality, Relations, quality};
use craig_model::Cancellation;
use craig_store::{Project, ProjectId};

use crate::{Engine, EngineError};

/// Analyses that are still true: by project, with the generation of its files.
pub(crate) type Analyses = HashMap<ProjectId, (u64, Arc<Analysis>)>;

impl Engine {
    /// What the files of a project depend on: each other, and packages.
    pub fn dependencies(
        &mut self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Dependencies, EngineError> {
        let (_, analysis) = self.analysis(handle, cancellation)?;
        Ok(analysis.dependencies())
    }

    /// How a project is built: modules, layers, entry points, patterns.
    pub fn architecture(
        &mut self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<Architecture, EngineError> {
        let (_, analysis) = self.analysis(handle, cancellation)?;
        Ok(analysis.architecture())
    }

    /// What a file, a folder or a symbol uses and is used by, and what a change of it would reach.
    pub fn relations(
        &mut self,
        handle: &str,
        target: &str,
        cancellation: &Cancellation,
    ) -> Result<Relations, EngineError> {
        let (project, analysis) = self.analysis(handle, cancellation)?;
        Ok(analysis.relations(self.store(), project.id, target, &self.pool())?)
    }

    /// Functions by complexity, duplicated code, long files, notes and tests of a project.
    pub fn quality(&self, handle: &str, cancellation: &Cancellation) -> Result<Quality, EngineError> {
        let is_cancelled = || cancellation.is_cancelled();
        self.read(handle, |project| Ok(quality(self.store(), project.id, &self.pool(), &is_cancelled)?))
    }

    /// The analysis of a project as the store has it now.
    fn analysis(
        &mut self,
        handle: &str,
        cancellation: &Cancellation,
    ) -> Result<(Project, Arc<Analysis>), EngineError> {
        let project = self.find(handle)?;
        if let Some((generation, analysis)) = self.analyses().get(&project.id)
            && *generation == project.generation
        {
            let analysis = Arc::clone(analysis);
            return Ok((project, analysis));
        }
        let (project, analysis) = self.read(handle, |project| {
            let is_cancelled = || cancellation.is_cancelled();
            let analysis = Analysis::load(self.store(), project.id, &self.pool(), &is_cancelled)?;
            Ok((project.clone(), Arc::new(analysis)))
        })?;
        self.analyses().insert(project.id, (project.generation, Arc::clone(&analysis)));
        Ok((project, analysis))
    }
}
