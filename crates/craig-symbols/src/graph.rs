//! The graph of symbols: which occurrence of a name refers to which definition, and how sure that is.

mod api;
mod codec;
mod map;
mod places;
mod query;

use std::cmp::Reverse;
use std::sync::OnceLock;

use craig_chunk::names::{DefinitionKind, Names, Role, Traits};
use craig_source::{FileStamp, Language};
use craig_store::{DerivedFile, Project, ProjectId, Store};
use rayon::{ThreadPool, prelude::*};
use serde::{Deserialize, Serialize};

use crate::{
    IsCancelled, Packages, Resolver, ScipFile, SymbolError, Workspace, bind, exact, go_on_unless, modules,
    overrides, table,
};
pub use map::{MapFocus, Ranked};
pub use query::{Impacted, Reach, SymbolQuery, module_names};

const KEPT: DerivedFile = DerivedFile { name: "symbols", version: SymbolGraph::VERSION };

/// Index of a definition in the whole project.
pub type SymbolIx = u32;

/// A definition of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolDefinition {
    /// Index of its file.
    pub file: u32,
    /// Name as written.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// What encloses it.
    pub parent: Option<SymbolIx>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// Byte of the name in its line, 0-based.
    pub column: u32,
    /// First line of the definition.
    pub line_start: u32,
    /// Last line of the definition, inclusive.
    pub line_end: u32,
    /// What more is known.
    pub traits: Traits,
    /// Of a function, how many arguments it takes, as far as overloads are told apart by that.
    pub arity: Option<u8>,
}

/// An occurrence that refers to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolReference {
    /// The definition.
    pub symbol: SymbolIx,
    /// Index of the file of the occurrence.
    pub file: u32,
    /// Line, 1-based.
    pub line: u32,
    /// Byte in its line, 0-based.
    pub column: u32,
    /// How it is used.
    pub role: Role,
    /// The definition that encloses the occurrence.
    pub within: Option<SymbolIx>,
    /// How sure it is that the occurrence refers to this definition, in percent.
    pub confidence: u8,
}

/// A file of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFile {
    /// Path.
    pub path: String,
    /// Language.
    pub language: Language,
    /// Whether it is a test.
    pub is_test: bool,
    /// The package or namespace that it adds to, the first of several; empty without one.
    pub package: String,
}

/// The symbols of a project and the references between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolGraph {
    /// Files by path.
    pub files: Vec<SymbolFile>,
    /// Definitions by file and place.
    pub definitions: Vec<SymbolDefinition>,
    /// References by definition, then by place.
    pub references: Vec<SymbolReference>,
    /// What files of scripts export by statements of their own, or of other files: by file.
    exported: Vec<(u32, SymbolIx)>,
    /// Files of which others export everything, by the file that does.
    exported_files: Vec<(u32, u32)>,
    /// The stamp of the SCIP index of which the occurrences of some files are.
    pub scip: Option<FileStamp>,
    /// Indexes of references by place, made when they are first asked for.
    #[serde(skip)]
    by_place: OnceLock<Vec<u32>>,
    /// Definitions by name, made when they are first asked for.
    #[serde(skip)]
    by_name: OnceLock<Vec<SymbolIx>>,
}

impl SymbolGraph {
    /// The graph of texts, each with its path.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (workspace, names) = Workspace::from_texts(texts, |_| false);
        Self::new(&workspace, &Packages::read(&workspace), &names, &exact::Documents::default(), &|| false)
    }

    /// The graph of a project in its present generation, with what its SCIP index says: the one that is kept beside its
    /// index, else a new one, which is kept then. The project is that of the caller's snapshot of the store.
    pub fn open(
        store: &Store,
        project: &Project,
        scip: Option<&ScipFile>,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, SymbolError> {
        let kept = store.read_derived(project, KEPT);
        let kept = kept.and_then(|bytes| pool.install(|| Self::from_bytes(&bytes)));
        if let Some(graph) = kept.filter(|graph| graph.scip == scip.map(ScipFile::stamp)) {
            return Ok(graph);
        }
        let graph = Self::load(store, project.id, scip, pool, is_cancelled)?;
        store.write_derived(project, KEPT, &pool.install(|| graph.to_bytes()));
        Ok(graph)
    }

    /// The part of the graph that is kept beside the index of a project and is about definitions of `names`, see
    /// [`part_from_bytes`](Self::part_from_bytes); `None` if no graph is kept of the project's present generation.
    pub fn kept_part(
        store: &Store,
        project: &Project,
        scip: Option<&ScipFile>,
        names: &[String],
    ) -> Option<Self> {
        let part = Self::part_from_bytes(&store.read_derived(project, KEPT)?, names)?;
        (part.scip == scip.map(ScipFile::stamp)).then_some(part)
    }

    /// Reads a project from the store, on the threads of `pool`. Fails soon after it is cancelled.
    pub fn load(
        store: &Store,
        project: ProjectId,
        scip: Option<&ScipFile>,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, SymbolError> {
        let (workspace, names) = Workspace::load_with_names(store, project, pool, |_| false, is_cancelled)?;
        let exact =
            scip.map(|file| exact::Documents::read(file, store, project)).transpose()?.unwrap_or_default();
        let graph =
            pool.install(|| Self::new(&workspace, &Packages::read(&workspace), &names, &exact, is_cancelled));
        go_on_unless(is_cancelled)?;
        Ok(Self { scip: scip.map(ScipFile::stamp), ..graph })
    }

    /// Binds the names of all files, `names[i]` being those of the i-th file of the workspace.
    fn new(
        workspace: &Workspace,
        packages: &Packages,
        names: &[Names],
        exact: &exact::Documents,
        is_cancelled: IsCancelled<'_>,
    ) -> Self {
        let resolver = Resolver::new(workspace, packages);
        let table = table::Table::new(workspace, names);
        let modules = modules::Modules::new(&table, &resolver);
        let binder = bind::Binder::new(&table, &modules);
        let mut references: Vec<SymbolReference> = (0..names.len())
            .into_par_iter()
            .filter(|_| !is_cancelled())
            .flat_map_iter(|file| binder.references(file))
            .collect();
        let exact = exact::Exact::new(exact, &table);
        references.retain(|found| !exact.decides(found));
        references.extend(exact.references);
        references.extend(overrides::references(&table, &binder.overrides(), &references));
        // Of several that are at one place, the surest.
        references.par_sort_unstable_by_key(|found| {
            let place = (found.symbol, found.file, found.line, found.column);
            (place, Reverse(found.confidence), found.role, found.within)
        });
        references.dedup_by_key(|found| (found.symbol, found.file, found.line, found.column));
        let files = workspace.files.iter().zip(names).map(|(file, names)| SymbolFile {
            path: file.path.clone(),
            language: file.language,
            is_test: file.is_test,
            package: names
                .packages
                .first()
                .map(|&package| names.text(package).to_owned())
                .unwrap_or_default(),
        });
        let handed_on: Vec<(u32, modules::Entity)> = (0..names.len())
            .into_par_iter()
            .flat_map_iter(|file| modules.handed_on(file).into_iter().map(move |found| (file as u32, found)))
            .collect();
        let (mut exported, mut exported_files) = (Vec::new(), Vec::new());
        for (file, found) in handed_on {
            match found {
                modules::Entity::Symbol(at) => exported.push((file, at)),
                modules::Entity::Module(to) => exported_files.push((file, to as u32)),
                _ => {}
            }
        }
        let (files, definitions) = (files.collect(), table.symbols());
        Self { files, definitions, references, exported, exported_files, ..Self::default() }
    }
}
