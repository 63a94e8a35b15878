//! Servers follow what others ingest, so that nobody has to wait for an index to be brought up to date.

use craig_store::{ProjectId, ProjectKey};

use crate::{Cancellation, Engine, EngineError};

impl Engine {
    /// Brings the indexes that answers were given from, and the graphs of symbols, up to date with the database; returns how
    /// many were not. Each search does the same for its project: called now and then, this does it before somebody asks.
    pub fn follow(&self) -> Result<usize, EngineError> {
        let indexes = self.held_indexes();
        if indexes.is_empty() {
            return Ok(0);
        }
        let store = self.store()?;
        let ids: Vec<ProjectId> = indexes.iter().map(|(key, _)| key.project()).collect();
        let generations = store.generations(&ids)?;
        let is_outdated = |(key, generation): &&(ProjectKey, u64)| {
            generations.get(&key.project()).is_some_and(|now| now != generation)
        };
        let mut n_outdated = 0;
        for (key, _) in indexes.iter().filter(is_outdated) {
            let project = store.project(&key.project().to_u64().to_string())?;
            // The key of a project in another database that was at this address before.
            if project.key() != *key {
                continue;
            }
            n_outdated += 1;
            self.index(&store, &project, &mut Vec::new())?;
            if self.holds_graph(&project) {
                self.symbol_graph(&store, &project, &Cancellation::default())?;
            }
        }
        Ok(n_outdated)
    }
}
