//! Analyses through the one door: dependencies, architecture, quality, relations.

use std::collections::HashMap;
use std::sync::Arc;

use craig_insight::{Analysis, Architecture, Dependencies, Quality, Relations, quality};
use craig_store::{Project, ProjectId};

use crate::{Engine, EngineError};

/// Analyses that are still true: by project, with the generation of its files.
pub(crate) type Analyses = HashMap<ProjectId, (u64, Arc<Analysis>)>;

impl Engine {
    /// What the files of a project depend on: each other, and packages.
    pub fn dependencies(&mut self, handle: &str) -> Result<Dependencies, EngineError> {
        let (_, analysis) = self.analysis(handle)?;
        Ok(analysis.dependencies())
    }

    /// How a project is built: modules, layers, entry points, patterns.
    pub fn architecture(&mut self, handle: &str) -> Result<Architecture, EngineError> {
        let (_, analysis) = self.analysis(handle)?;
        Ok(analysis.architecture())
    }

    /// What a file, a folder or a symbol uses and is used by, and what a change of it would reach.
    pub fn relations(&mut self, handle: &str, target: &str) -> Result<Relations, EngineError> {
        let (project, analysis) = self.analysis(handle)?;
        Ok(analysis.relations(self.store(), project.id, target, &self.pool())?)
    }

    /// Functions by complexity, duplicated code, long files, notes and tests of a project.
    pub fn quality(&self, handle: &str) -> Result<Quality, EngineError> {
        self.read(handle, |project| Ok(quality(self.store(), project.id, &self.pool())?))
    }

    /// The analysis of a project as the store has it now.
    fn analysis(&mut self, handle: &str) -> Result<(Project, Arc<Analysis>), EngineError> {
        let project = self.find(handle)?;
        if let Some((generation, analysis)) = self.analyses().get(&project.id)
            && *generation == project.generation
        {
            let analysis = Arc::clone(analysis);
            return Ok((project, analysis));
        }
        let (project, analysis) = self.read(handle, |project| {
            let analysis = Analysis::load(self.store(), project.id, &self.pool())?;
            Ok((project.clone(), Arc::new(analysis)))
        })?;
        self.analyses().insert(project.id, (project.generation, Arc::clone(&analysis)));
        Ok((project, analysis))
    }
}
