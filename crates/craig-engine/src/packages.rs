//! The documentation of the packages that a project uses: read where a package manager installed them, in the version that is
//! locked, and kept as projects of their own that all projects with the same copy share.

mod definition;
mod explain;
mod imports;
mod library;
mod used;

use std::collections::BTreeMap;

use craig_model::Cancellation;
use craig_source::{
    InstalledPackage, PackageError, PackageLimits, PackageListing, PackageManager, RawFile, ReadError, Root,
    SourceFile, WantedPackage, content_hash,
};
use craig_store::{Project, Store};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::consent::Consent;
use crate::ingest::{SourceFiles, Waiting, wait_to_write};
use crate::options::{StoredOptions, StoredPackage};
use crate::progress::{Phase, Progress};
use crate::project::root_of;
use crate::{Engine, EngineError};

pub use explain::{ImportingCode, PackageExplanation, PackageQuote};
pub(crate) use imports::{FileImports, Manifests};
pub(crate) use library::PackageLibrary;
pub use used::MAX_UNNAMED;

use used::UsedPackage;

/// A package that a project uses, or whose documentation it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackageDocs {
    /// Package manager: npm, pypi, cargo, go or maven.
    pub manager: String,
    /// Name of the package.
    pub name: String,
    /// The version that the lock file names, or that is installed; null if neither is known.
    pub version: Option<String>,
    /// Whether its documentation is indexed.
    pub state: PackageState,
    /// Number of indexed files.
    pub files: u64,
    /// Number of indexed files that are documents: READMEs and guides.
    pub documents: u64,
    /// When it was indexed, RFC 3339, UTC.
    pub indexed_at: Option<String>,
    /// Why it is not indexed, or what was left out.
    pub note: Option<String>,
}

/// Whether the documentation of a package is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackageState {
    /// It is.
    Indexed,
    /// It is not, but the package is installed.
    Installed,
    /// The package is not installed, or not in the locked version, or cannot be read.
    Missing,
    /// The package has neither documents nor code that can be read.
    Undocumented,
}

/// Which packages to add.
#[derive(Clone, Debug, Default)]
pub struct AddPackages {
    /// Names, such as `express` or `npm:express`; without any, the packages that the project's manifests name.
    pub names: Vec<String>,
    /// What it may do without asking.
    pub consent: Consent,
    /// Stops before the next package.
    pub cancellation: Cancellation,
}

impl Engine {
    /// Indexes the documentation of packages that a project uses. A package that cannot be read is a row of the answer.
    ///
    /// Fails if a name is not one of the project's packages.
    pub fn add_packages(
        &self,
        handle: &str,
        request: &AddPackages,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Vec<PackageDocs>, EngineError> {
        let mut store = self.store()?;
        let project = self.find(&store, handle)?;
        let root = root_of(&project)?;
        let used = used::selected(used::packages(&store, &project)?, &request.names, &project.name)?;
        store.check_writable()?;
        let mut rows = Vec::new();
        for (at, package) in used.iter().enumerate() {
            if request.cancellation.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            progress(&Progress {
                phase: Phase::Packages,
                processed_files: at,
                total_files: used.len(),
                current: package.label(),
                n_bytes: 0,
            });
            rows.push(self.add_package(&mut store, &project, &root, package, request.consent)?);
        }
        // Several manifests may name a package without a version.
        rows.dedup();
        Ok(rows)
    }

    /// The packages that a project's manifests name, and those that were added for it, by package manager and name.
    pub fn packages(&self, handle: &str) -> Result<Vec<PackageDocs>, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let root = root_of(&project)?;
        let mut rows: BTreeMap<(String, String, Option<String>), PackageDocs> = BTreeMap::new();
        for (corpus, package) in packages_of(&store, &project)? {
            let row = indexed_row(&store, &corpus, &package)?;
            rows.insert((row.manager.clone(), row.name.clone(), row.version.clone()), row);
        }
        for used in used::packages(&store, &project)? {
            let found = self.config().packages.find(&root, &used.wanted());
            let version = found.as_ref().ok().map(|found| found.version.clone()).or(used.version.clone());
            let key = (used.manager.id().to_owned(), used.name.clone(), version.clone());
            rows.entry(key).or_insert_with(|| match found {
                Ok(_) => PackageDocs { version, ..used.row(PackageState::Installed, None) },
                Err(error) => used.missing(&error),
            });
        }
        Ok(rows.into_values().collect())
    }

    /// Removes packages from what a project is answered from; the documentation itself is removed when no project uses it.
    /// Gives the labels of the removed ones.
    pub fn remove_packages(
        &self,
        handle: &str,
        names: &[String],
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Vec<String>, EngineError> {
        let mut store = self.store()?;
        let project = self.find(&store, handle)?;
        let known = packages_of(&store, &project)?;
        let mut removed = Vec::new();
        for name in names {
            let of_name: Vec<_> = known.iter().filter(|(_, package)| package.is_named(name)).collect();
            if of_name.is_empty() {
                return Err(unknown(&project.name, name, names_of(&known)));
            }
            for (corpus, package) in of_name {
                removed.push(label(&package.manager, &package.name, Some(&package.version)));
                let mut options = StoredOptions::parse(&corpus.options);
                if let Some(package) = &mut options.package {
                    package.users.remove(&project.reference);
                }
                match options.package.as_ref().is_some_and(|package| package.users.is_empty()) {
                    true => drop(self.purge(&corpus.reference, progress)?),
                    false => drop(store.create_package(&corpus.name, &options.to_json())?),
                }
            }
        }
        Ok(removed)
    }

    /// Reference of the documentation of a package that was added for a project: to search, or to read its files.
    pub fn package_named(&self, handle: &str, name: &str) -> Result<String, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let known = packages_of(&store, &project)?;
        let newest = known.iter().rfind(|(_, package)| package.is_named(name));
        newest
            .map(|(corpus, _)| corpus.reference.clone())
            .ok_or_else(|| unknown(&project.name, name, names_of(&known)))
    }

    fn add_package(
        &self,
        store: &mut Store,
        project: &Project,
        root: &Root,
        used: &UsedPackage,
        consent: Consent,
    ) -> Result<PackageDocs, EngineError> {
        let limits = PackageLimits::default();
        let found = match self.config().packages.find(root, &used.wanted()) {
            Ok(found) => found,
            Err(error) => return Ok(used.missing(&error)),
        };
        let files = found.list(&limits);
        if files.listing.entries.is_empty() {
            let row = used.row(PackageState::Undocumented, None);
            return Ok(PackageDocs { version: Some(found.version), ..row });
        }
        let source = PackageFiles { package: &found, limits: &limits };
        wait_to_write(store, Waiting::Wait, &mut |_| {})?;
        let corpus = self.corpus(store, project, &found, &files, &source)?;
        let report = self.ingest_package(store, &corpus, &files.listing, &source, consent, &mut |_| {})?;
        let corpus = store.project(&report.reference)?;
        let package = StoredOptions::parse(&corpus.options).package.unwrap_or_default();
        indexed_row(store, &corpus, &package)
    }

    /// The project that holds the documentation of a package, with `project` among its users. If other projects have another
    /// copy of the same version, it is not touched, and this copy is kept as well.
    fn corpus(
        &self,
        store: &mut Store,
        project: &Project,
        found: &InstalledPackage,
        files: &PackageListing,
        source: &PackageFiles<'_>,
    ) -> Result<Project, EngineError> {
        let hashes = self.pool()?.install(|| {
            let entries = files.listing.entries.par_iter();
            entries
                .filter_map(|entry| Some((entry.path.as_str(), source.read(&entry.path).ok()?.hash)))
                .collect()
        });
        let hash = content_hash::<'_>(Vec::into_iter(hashes)).to_hex();
        let plain = label(found.manager.id(), &found.name, Some(&found.version));
        let known = store.packages()?;
        let corpus_of = |key: &str| known.iter().find(|corpus| corpus.name == key);
        let own = |options: &StoredOptions| {
            options.package.as_ref().is_none_or(|package| {
                package.users.is_empty() || package.users.iter().eq([&project.reference])
            })
        };
        let key = match corpus_of(&plain) {
            Some(other)
                if other.content_hash.as_ref() != Some(&hash)
                    && !own(&StoredOptions::parse(&other.options)) =>
            {
                format!("{plain}#{}", &hash[..12])
            }
            _ => plain,
        };
        let mut options =
            corpus_of(&key).map(|corpus| StoredOptions::parse(&corpus.options)).unwrap_or_default();
        let package = options.package.get_or_insert_default();
        package.manager = found.manager.id().to_owned();
        package.name.clone_from(&found.name);
        package.version.clone_from(&found.version);
        package.n_over_limits = files.n_over_limits as u64;
        package.users.insert(project.reference.clone());
        Ok(store.create_package(&key, &options.to_json())?)
    }
}

struct PackageFiles<'a> {
    package: &'a InstalledPackage,
    limits: &'a PackageLimits,
}

impl SourceFiles for PackageFiles<'_> {
    fn read(&self, path: &str) -> Result<RawFile, ReadError> {
        self.package.read(path, self.limits)
    }

    fn interpret(&self, file: RawFile) -> SourceFile {
        self.package.interpret(file)
    }
}

impl UsedPackage {
    fn wanted(&self) -> WantedPackage<'_> {
        WantedPackage {
            manager: self.manager,
            name: &self.name,
            version: self.version.as_deref(),
            folder: &self.folder,
        }
    }

    fn label(&self) -> String {
        label(self.manager.id(), &self.name, self.version.as_deref())
    }

    fn missing(&self, error: &PackageError) -> PackageDocs {
        let note = match error {
            PackageError::NotInstalled => format!("not installed in {}", self.manager.places()),
            error => error.to_string(),
        };
        self.row(PackageState::Missing, Some(note))
    }

    fn row(&self, state: PackageState, note: Option<String>) -> PackageDocs {
        PackageDocs {
            manager: self.manager.id().to_owned(),
            name: self.name.clone(),
            version: self.version.clone(),
            state,
            files: 0,
            documents: 0,
            indexed_at: None,
            note,
        }
    }
}

fn indexed_row(store: &Store, corpus: &Project, package: &StoredPackage) -> Result<PackageDocs, EngineError> {
    let records = store.file_records(corpus.id)?;
    let documents = records.iter().filter(|record| record.kind == craig_source::FileKind::Docs).count();
    let note = (package.n_over_limits > 0).then(|| {
        format!("{} more files are left out: the package is larger than the limits", package.n_over_limits)
    });
    Ok(PackageDocs {
        manager: package.manager.clone(),
        name: package.name.clone(),
        version: Some(package.version.clone()),
        state: PackageState::Indexed,
        files: records.len() as u64,
        documents: documents as u64,
        indexed_at: Some(corpus.last_updated.clone()),
        note,
    })
}

/// The packages that were added for a project, each with its documentation, by name and in the order that they were added.
fn packages_of(store: &Store, project: &Project) -> Result<Vec<(Project, StoredPackage)>, EngineError> {
    let all = store.packages()?.into_iter().filter_map(|corpus| {
        let package = StoredOptions::parse(&corpus.options).package?;
        package.users.contains(&project.reference).then_some((corpus, package))
    });
    Ok(all.collect())
}

impl StoredPackage {
    fn is_named(&self, asked: &str) -> bool {
        is_named((&self.manager, &self.name, Some(&self.version)), asked)
    }
}

/// Whether `asked` means the package of a manager, name and version: `express`, `npm:express`, `npm:express@4.19.2`,
/// `express@4.19.2`.
fn is_named((manager, name, version): (&str, &str, Option<&str>), asked: &str) -> bool {
    let asked = asked.strip_prefix(manager).and_then(|rest| rest.strip_prefix(':')).unwrap_or(asked);
    asked.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty() || version.is_some_and(|version| rest.strip_prefix('@') == Some(version))
    })
}

/// `npm:express@4.19.2`, or `npm:express`.
fn label(manager: &str, name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) => format!("{manager}:{name}@{version}"),
        None => format!("{manager}:{name}"),
    }
}

fn names_of(known: &[(Project, StoredPackage)]) -> Vec<String> {
    known.iter().map(|(_, package)| package.name.clone()).collect()
}

fn unknown(project: &str, package: &str, known: Vec<String>) -> EngineError {
    EngineError::UnknownPackage { project: project.to_owned(), package: package.to_owned(), known }
}

/// The package manager of an ecosystem whose packages can be read.
fn manager_of(ecosystem: craig_symbols::Ecosystem) -> Option<PackageManager> {
    use craig_symbols::Ecosystem as E;
    Some(match ecosystem {
        E::Npm => PackageManager::Npm,
        E::PyPi => PackageManager::PyPi,
        E::Cargo => PackageManager::Cargo,
        E::Go => PackageManager::Go,
        E::Maven => PackageManager::Maven,
        _ => return None,
    })
}
