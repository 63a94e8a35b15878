//! Which packages a project uses: what its manifests name, in the version that its lock file names.

use std::collections::BTreeSet;

use craig_source::PackageManager;
use craig_store::{Project, Store};
use craig_symbols::{Declared, Ecosystem, Packages, Scope, Workspace};
use craig_text::path::folder;

use super::{is_named, manager_of, unknown};
use crate::EngineError;

/// Most packages that are added without being named.
pub const MAX_UNNAMED: usize = 200;

/// A package that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UsedPackage {
    pub(super) manager: PackageManager,
    pub(super) name: String,
    pub(super) version: Option<String>,
    /// Folder of the manifest.
    pub(super) folder: String,
}

/// The packages that the manifests of a project name, each version once.
pub(super) fn packages(store: &Store, project: &Project) -> Result<Vec<UsedPackage>, EngineError> {
    let declared = Packages::read(&Workspace::load_manifests(store, project.id)?).declared;
    let used: BTreeSet<UsedPackage> = declared.iter().filter_map(used).collect();
    let mut used: Vec<UsedPackage> = used.into_iter().collect();
    used.dedup_by(|b, a| {
        a.version.is_some() && (a.manager, &a.name, &a.version) == (b.manager, &b.name, &b.version)
    });
    Ok(used)
}

/// The declared package, unless only other packages need it.
fn used(declared: &Declared) -> Option<UsedPackage> {
    (declared.scope != Scope::Indirect).then_some(())?;
    Some(UsedPackage {
        manager: manager_of(declared.ecosystem)?,
        name: declared.name.clone(),
        version: version(declared),
        folder: folder(&declared.manifest).to_owned(),
    })
}

/// The locked version, or the one that a requirement names exactly.
pub(super) fn version(declared: &Declared) -> Option<String> {
    if declared.version.is_some() {
        return declared.version.clone();
    }
    let requirement = declared.requirement.as_deref()?.trim();
    let exact = match declared.ecosystem {
        Ecosystem::Go | Ecosystem::Maven => requirement,
        Ecosystem::PyPi => requirement.strip_prefix("==")?.trim(),
        _ => return None,
    };
    let is_exact = exact.chars().all(|c| c.is_ascii_alphanumeric() || ".-_+!".contains(c));
    (is_exact && exact.contains(|c: char| c.is_ascii_digit())).then(|| exact.to_owned())
}

/// The packages of these names, or without any the first [`MAX_UNNAMED`]. Fails for a name that is none of them.
pub(super) fn selected(
    used: Vec<UsedPackage>,
    names: &[String],
    project: &str,
) -> Result<Vec<UsedPackage>, EngineError> {
    if names.is_empty() {
        return Ok(used.into_iter().take(MAX_UNNAMED).collect());
    }
    let mut selected = Vec::new();
    for name in names {
        let of_name: Vec<UsedPackage> =
            used.iter().filter(|package| package.is_named(name)).cloned().collect();
        match (of_name.is_empty(), unlisted(name)) {
            (false, _) => selected.extend(of_name),
            (true, Some(package)) => selected.push(package),
            (true, None) => {
                let known = used.into_iter().map(|package| package.name).collect();
                return Err(unknown(project, name, known));
            }
        }
    }
    selected.dedup();
    Ok(selected)
}

/// A package that no manifest names, written with its package manager: `npm:ms`, `cargo:memchr@2.7.4`.
fn unlisted(name: &str) -> Option<UsedPackage> {
    let (manager, rest) = name.split_once(':')?;
    let manager = PackageManager::from_id(manager)?;
    let (name, version) = match rest.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => (name, Some(version.to_owned())),
        _ => (rest, None),
    };
    Some(UsedPackage { manager, name: name.to_owned(), version, folder: String::new() })
}

impl UsedPackage {
    fn is_named(&self, asked: &str) -> bool {
        is_named((self.manager.id(), &self.name, self.version.as_deref()), asked)
    }
}
