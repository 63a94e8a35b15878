//! Analyses of a project from the store alone: its dependencies, its architecture, the quality of its code, and what a
//! change of one place would reach. Nothing here reads a user's file or asks a model.

mod architecture;
mod declared;
mod dependencies;
mod error;
mod graph;
mod json;
mod manifest;
mod mermaid;
mod modules;
mod packages;
mod quality;
mod relations;
mod resolve;
mod workspace;

use std::collections::BTreeMap;

use craig_store::{ProjectId, Store};
use rayon::ThreadPool;

pub use architecture::{Architecture, EntryPoint, Evidence, Layer, Module, ModuleUse, Pattern};
pub use declared::{Ecosystem, Scope};
pub use dependencies::{Depended, Dependencies, External, FileEdge, Place, Undeclared, UnresolvedImport};
pub use error::InsightError;
pub use quality::{
    COMPLEX, Clone, ClonePlace, Duplication, FileNotes, Function, LONG_FILE_LINES, LongFile, ModuleTests,
    Note, Notes, Quality, Summary, quality, quality_of_texts,
};
pub use relations::{Definition, Reached, Relations, UsedPackage};

use graph::Graph;
use packages::Packages;
use workspace::Workspace;

/// A project with its imports resolved: what all analyses but that of quality begin with.
pub struct Analysis {
    workspace: Workspace,
    packages: Packages,
    graph: Graph,
}

/// Asked before each file: whether an analysis is to end.
pub type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

fn go_on_unless(is_cancelled: IsCancelled<'_>) -> Result<(), InsightError> {
    if is_cancelled() { Err(InsightError::Cancelled) } else { Ok(()) }
}

impl Analysis {
    /// Reads a project from the store, parsing its texts on the threads of `pool`. Fails soon after it is cancelled.
    pub fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, InsightError> {
        let workspace = Workspace::load(store, project, pool, is_cancelled)?;
        pool.install(|| Self::of(workspace, is_cancelled))
    }

    /// An analysis of texts, each with its path.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let workspace = Workspace::of_texts(texts);
        let packages = Packages::read(&workspace);
        let graph = Graph::new(&workspace, &packages, &|| false);
        Self { workspace, packages, graph }
    }

    fn of(workspace: Workspace, is_cancelled: IsCancelled<'_>) -> Result<Self, InsightError> {
        let packages = Packages::read(&workspace);
        let graph = Graph::new(&workspace, &packages, is_cancelled);
        go_on_unless(is_cancelled)?;
        Ok(Self { workspace, packages, graph })
    }

    /// What the project's files depend on.
    pub fn dependencies(&self) -> Dependencies {
        dependencies::dependencies(self)
    }

    /// How the project is built.
    pub fn architecture(&self) -> Architecture {
        architecture::architecture(self)
    }

    /// How a file, a folder or a symbol is connected; the places that name a symbol are looked up in the store.
    pub fn relations(
        &self,
        store: &Store,
        project: ProjectId,
        target: &str,
        pool: &ThreadPool,
    ) -> Result<Relations, InsightError> {
        let mentions = match relations::asked_symbol(self, target) {
            Some(name) => relations::mentions(store, project, name, pool)?,
            None => BTreeMap::new(),
        };
        relations::relations(self, target, &mentions)
    }

    /// The same of an analysis of texts, which are asked for the places that name a symbol.
    pub fn relations_in<'a>(
        &self,
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
        target: &str,
    ) -> Result<Relations, InsightError> {
        let name = relations::asked_symbol(self, target).unwrap_or_default();
        let mentions =
            texts.into_iter().map(|(path, text)| (path.to_owned(), relations::lines_naming(text, name)));
        relations::relations(self, target, &mentions.filter(|(_, lines)| !lines.is_empty()).collect())
    }
}
