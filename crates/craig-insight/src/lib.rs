//! Analyses of a project from its stored texts: its dependencies, its architecture, the quality of its code, and the impact of a
//! change. Nothing here reads a user's file or asks a model.

mod about;
mod architecture;
mod clusters;
mod dependencies;
mod error;
mod graph;
mod launch;
mod mermaid;
mod modules;
mod quality;
mod relations;

use std::collections::BTreeMap;

use craig_store::{ProjectId, Store};
use craig_symbols::{IsCancelled, Packages, Workspace, go_on_unless};
use rayon::ThreadPool;

pub use about::sentence;
pub use architecture::{About, Architecture, EntryPoint, Layer, Module, ModuleCycle, ModuleUse, Violation};
pub use dependencies::{
    Cycle, Depended, Dependencies, External, FileEdge, Place, Undeclared, UnresolvedImport,
};
pub use error::InsightError;
pub use graph::Weakness;
pub use quality::{
    COMPLEX, Clone, ClonePlace, Duplication, FileNotes, Function, LONG_FILE_LINES, LongFile, ModuleTests,
    Note, Notes, Quality, Summary, quality, quality_of_texts,
};
pub use relations::{Definition, Reached, Relations, UsedPackage, relations_of_symbol};

use graph::Graph;

/// Whether the analyses need the text of a file besides those of manifests.
fn is_text_wanted(path: &str) -> bool {
    launch::is_launcher(path, 0) || about::may_describe(path)
}

/// A project with its imports resolved: the input of all analyses except that of quality.
pub struct Analysis {
    workspace: Workspace,
    packages: Packages,
    graph: Graph,
}

impl Analysis {
    /// Changes when something else is found in the same project.
    pub const VERSION: u32 = 4;

    /// Reads a project from the store, parsing its texts on the threads of `pool`. Fails soon after it is cancelled.
    pub fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, InsightError> {
        let workspace = Workspace::load(store, project, pool, is_text_wanted, is_cancelled)?;
        pool.install(|| Self::from_workspace(workspace, is_cancelled))
    }

    /// An analysis of texts, each with its path.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (workspace, _) = Workspace::from_texts(texts, is_text_wanted);
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
