//! What can be told of a project from what the store holds: its dependencies, its architecture, the quality of its code, and
//! what a change of one place would reach. Nothing here reads a user's file or asks a model.

mod dependencies;
mod error;
mod graph;
mod json;
mod manifest;
mod mermaid;
mod modules;
mod packages;
mod paths;
mod quality;
mod resolve;
mod workspace;

use craig_store::{ProjectId, Store};

pub use dependencies::{Dependencies, Depended, External, FileEdge, Place, Undeclared, UnresolvedImport};
pub use error::InsightError;
pub use packages::{Ecosystem, Scope};
pub use quality::{
    COMPLEX, Clone, ClonePlace, Duplication, FileNotes, Function, LONG_FILE_LINES, LongFile, ModuleTests, Note, Notes, Quality,
    Summary, quality, quality_of_texts,
};

use graph::Graph;
use packages::Packages;
use workspace::Workspace;

/// A project with its imports resolved: what all analyses but that of quality begin with.
pub struct Analysis {
    workspace: Workspace,
    packages: Packages,
    graph: Graph,
}

impl Analysis {
    /// Reads a project from the store, parsing its texts on the current thread pool.
    pub fn load(store: &Store, project: ProjectId) -> Result<Self, InsightError> {
        Ok(Self::of(Workspace::load(store, project)?))
    }

    /// An analysis of texts, each with its path.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::of(Workspace::of_texts(texts))
    }

    fn of(workspace: Workspace) -> Self {
        let packages = Packages::read(&workspace);
        let graph = Graph::new(&workspace, &packages);
        Self { workspace, packages, graph }
    }

    /// What the project's files depend on.
    pub fn dependencies(&self) -> Dependencies {
        dependencies::dependencies(self)
    }
}
