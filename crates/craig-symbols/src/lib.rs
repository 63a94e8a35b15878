//! The symbols of a project: imports resolved to files and packages, names bound to definitions, and the graph of who refers to
//! what. Everything is read from the store; nothing here reads a user's file.
//!
//! `craig-chunk` reads the imports and names of each file. A [`Workspace`] has them for all files, and [`Packages`] what its
//! manifests declare; a [`Resolver`] finds the target of an import, and a [`SymbolGraph`] binds names to definitions by
//! evidence: scopes, imports, packages, members of types that the code makes evident. What cannot be bound stays a
//! candidate of several.

mod bind;
mod declared;
mod error;
mod exact;
mod graph;
mod imported;
pub mod json;
mod manifest;
mod modules;
mod overrides;
mod packages;
mod resolve;
mod scip;
mod table;
mod workspace;
pub mod yaml;

pub use declared::{Declared, Ecosystem, Scope};
pub use error::SymbolError;
pub use exact::ScipFile;
pub use graph::{
    Impacted, MapFocus, Ranked, Reach, SymbolDefinition, SymbolFile, SymbolGraph, SymbolIx, SymbolQuery,
    SymbolReference, module_names,
};
pub use imported::{ImportedModule, ImportedNames, ImportedReference, PackageFiles, imported};
pub use packages::Packages;
pub use resolve::{Beyond, Implicit, ImplicitKind, Resolver, Scripts, Target, package_name};
pub use scip::{ScipIndex, ScipOrigin};
pub use workspace::{FileIx, SourceFile, Workspace};

/// Called before each file: whether to stop.
pub type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// Fails with [`SymbolError::Cancelled`] if the work is to stop.
pub fn go_on_unless(is_cancelled: IsCancelled<'_>) -> Result<(), SymbolError> {
    if is_cancelled() { Err(SymbolError::Cancelled) } else { Ok(()) }
}
