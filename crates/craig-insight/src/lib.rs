//! Analyses of a project from its stored texts: its dependencies, its architecture, the quality of its code, and the impact of a
//! change. Nothing here reads a user's file or asks a model.

mod about;
mod architecture;
mod clusters;
mod declared;
mod dependencies;
mod error;
mod graph;
mod json;
mod launch;
mod manifest;
mod mermaid;
mod modules;
mod packages;
mod quality;
mod relations;
mod resolve;
mod symbols;
mod workspace;
mod yaml;

use std::collections::BTreeMap;

use craig_store::{ProjectId, Store};
use rayon::ThreadPool;

pub use about::sentence;
pub use architecture::{About, Architecture, EntryPoint, Layer, Module, ModuleCycle, ModuleUse, Violation};
pub use declared::{Ecosystem, Scope};
pub use dependencies::{
    Cycle, Depended, Dependencies, External, FileEdge, Place, Undeclared, UnresolvedImport,
};
pub use error::InsightError;
pub use graph::Weakness;
pub use quality::{
    COMPLEX, Clone, ClonePlace, Duplication, FileNotes, Function, LONG_FILE_LINES, LongFile, ModuleTests,
    Note, Notes, Quality, Summary, quality, quality_of_texts,
};
pub use relations::{Definition, Reached, Relations, UsedPackage};
pub use symbols::{
    Impacted, MapFocus, Ranked, Reach, ScipFile, ScipIndex, ScipOrigin, SymbolDefinition, SymbolFile,
    SymbolGraph, SymbolIx, SymbolQuery, SymbolReference,
};

use graph::Graph;
use packages::Packages;
use workspace::Workspace;

/// A project with its imports resolved: the input of all analyses except that of quality.
pub struct Analysis {
    workspace: Workspace,
    packages: Packages,
    graph: Graph,
}

/// Called before each file: whether to stop the analysis.
pub type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

fn go_on_unless(is_cancelled: IsCancelled<'_>) -> Result<(), InsightError> {
    if is_cancelled() { Err(InsightError::Cancelled) } else { Ok(()) }
}

impl Analysis {
    /// Changes when something else is found in the same project.
    pub const VERSION: u32 = 3;

    /// Reads a project from the store, parsing its texts on the threads of `pool`. Fails soon after it is cancelled.
    pub fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, InsightError> {
        let workspace = Workspace::load(store, project, pool, is_cancelled)?;
        pool.install(|| Self::from_workspace(workspace, is_cancelled))
    }

    /// An analysis of texts, each with its path.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (workspace, _) = Workspace::from_texts(texts);
        let packages = Packages::read(&workspace);
        let graph = Graph::new(&workspace, &packages, &|| false);
        Self { workspace, packages, graph }
    }

    fn from_workspace(workspace: Workspace, is_cancelled: IsCancelled<'_>) -> Result<Self, InsightError> {
        let packages = Packages::read(&workspace);
        let graph = Graph::new(&workspace, &packages, is_cancelled);
        go_on_unless(is_cancelled)?;
        Ok(Self { workspace, packages, graph })
    }

    /// The report of dependencies.
    pub fn dependencies(&self) -> Dependencies {
        dependencies::dependencies(self)
    }

    /// The report of architecture.
    pub fn architecture(&self) -> Architecture {
        architecture::architecture(self)
    }

    /// Whether a target of relations is a file or a folder.
    pub fn is_path(&self, target: &str) -> bool {
        relations::is_path(self, target)
    }

    /// The relations of a file, a folder or a symbol; mentions of a symbol are looked up in the store.
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

    /// The same for an analysis of texts, in which mentions of a symbol are searched.
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
