//! Finds and reads installed packages: what a package manager put on this machine, at the version that a project uses.
//!
//! Packages are data. Nothing of them is executed, no link is followed out of the folder that holds them, and their number of
//! files, bytes and folders is bounded. [`PackagePlaces::find`] checks that a package is there, [`InstalledPackage::list`]
//! selects what documents it, [`InstalledPackage::read`] gives one file like any other: decoded, hashed, masked.

mod archive;
mod find;
mod selection;

use std::path::PathBuf;

use crate::{Content, Entry, Language, Listing, RawFile, ReadError, Root, SourceFile, read::read_bytes};
use archive::SourceArchive;

/// A package manager whose installed packages can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackageManager {
    /// JavaScript and TypeScript: `node_modules`.
    Npm,
    /// Python: `site-packages` of a virtual environment.
    PyPi,
    /// Rust: the sources of cargo's registry, or `vendor`.
    Cargo,
    /// Go: the module cache, or `vendor`.
    Go,
    /// Java, Kotlin, Scala: jars of sources in the repositories of Maven and Gradle.
    Maven,
}

impl PackageManager {
    const ALL: [Self; 5] = [Self::Npm, Self::PyPi, Self::Cargo, Self::Go, Self::Maven];

    /// The package manager of this [`id`](Self::id).
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manager| manager.id() == id)
    }

    /// Its name in the key of a package: `npm:express@4.19.2`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::PyPi => "pypi",
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Maven => "maven",
        }
    }

    /// Where its packages are looked for, for messages.
    pub fn places(self) -> &'static str {
        match self {
            Self::Npm => "node_modules",
            Self::PyPi => "site-packages of .venv, venv, env or VIRTUAL_ENV",
            Self::Cargo => "vendor or the registry in CARGO_HOME",
            Self::Go => "vendor or GOMODCACHE",
            Self::Maven => "~/.m2/repository or the caches of Gradle",
        }
    }

    /// Name of the manifest by which code finds the files of a package.
    fn manifest(self) -> Option<&'static str> {
        match self {
            Self::Npm => Some("package.json"),
            Self::Cargo => Some("Cargo.toml"),
            Self::PyPi | Self::Go | Self::Maven => None,
        }
    }

    /// Languages that its packages are written in.
    fn languages(self) -> &'static [Language] {
        match self {
            Self::Npm => &[Language::TypeScript, Language::Tsx, Language::JavaScript],
            Self::PyPi => &[Language::Python],
            Self::Cargo => &[Language::Rust],
            Self::Go => &[Language::Go],
            Self::Maven => &[Language::Java, Language::Kotlin, Language::Scala, Language::Groovy],
        }
    }
}

/// Where the package managers of this machine keep packages, beside those in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePlaces {
    /// The active virtual environment of Python.
    pub virtual_environment: Option<PathBuf>,
    /// Cargo's home.
    pub cargo_home: Option<PathBuf>,
    /// Go's module cache.
    pub go_modules: Option<PathBuf>,
    /// Maven's local repository.
    pub maven_repository: Option<PathBuf>,
    /// Gradle's home.
    pub gradle_home: Option<PathBuf>,
}

impl PackagePlaces {
    /// The places that environment variables name, or the package managers' defaults below the home directory.
    pub fn from_environment<'e>(variable: impl Fn(&str) -> Option<&'e str>) -> Self {
        let named = |name: &str| variable(name).map(PathBuf::from);
        let home = named("HOME").or_else(|| named("USERPROFILE"));
        let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let go_path = named("GOPATH").or_else(|| below_home("go"));
        Self {
            virtual_environment: named("VIRTUAL_ENV"),
            cargo_home: named("CARGO_HOME").or_else(|| below_home(".cargo")),
            go_modules: named("GOMODCACHE").or_else(|| go_path.map(|path| path.join("pkg/mod"))),
            maven_repository: below_home(".m2/repository"),
            gradle_home: named("GRADLE_USER_HOME").or_else(|| below_home(".gradle")),
        }
    }
}

/// The package that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct WantedPackage<'a> {
    /// Its package manager.
    pub manager: PackageManager,
    /// Its name, as the package manager writes it.
    pub name: &'a str,
    /// The locked version; without one, the installed version counts if there is only one.
    pub version: Option<&'a str>,
    /// Folder of the manifest that declares it, relative to the root of the project.
    pub folder: &'a str,
}

/// Bounds of what is read of one package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageLimits {
    /// Most files.
    pub n_files: usize,
    /// Most bytes of all files.
    pub n_bytes: u64,
    /// Larger files are left out.
    pub max_file_bytes: u64,
    /// Most files and folders that are looked at.
    pub n_looked_at: usize,
}

impl Default for PackageLimits {
    /// Of 696 packages of five ecosystems, one has more files (`docs/benchmarks.md`).
    fn default() -> Self {
        Self { n_files: 2_000, n_bytes: 8 << 20, max_file_bytes: 2 << 20, n_looked_at: 50_000 }
    }
}

/// What documents a package, within the limits.
#[derive(Clone, Debug, Default)]
pub struct PackageListing {
    /// The files to read, those that were left out for their size, and what could not be looked at.
    pub listing: Listing,
    /// Number of files that are left out because the package has more files or bytes than the limits allow.
    pub n_over_limits: usize,
}

/// A package on this machine.
pub struct InstalledPackage {
    /// Its package manager.
    pub manager: PackageManager,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    place: Place,
}

/// Where the files of a package are.
enum Place {
    /// A folder of its own.
    Folder(Root),
    /// Files of a folder that other packages share, as the package manager recorded them, and the path of its description.
    Shared { root: Root, paths: Vec<String>, description: String },
    /// A jar.
    Archive(SourceArchive),
}

/// Why a package cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackageError {
    /// It is not where its package manager keeps packages.
    #[error("it is not installed")]
    NotInstalled,
    /// Only its compiled code is.
    #[error("its sources are not installed; the build tool downloads them on request")]
    NoSources,
    /// Another version is.
    #[error("version {installed} is installed, but {locked} is locked")]
    OtherVersion {
        /// The version in its own manifest.
        installed: String,
        /// The version in the lock file.
        locked: String,
    },
    /// Several are, and no lock file names one.
    #[error("several versions are installed, and no lock file names one")]
    ManyVersions,
    /// Its own manifest has another name or no valid version.
    #[error("its manifest is of another package")]
    OtherPackage,
    /// The name or version cannot be part of a path.
    #[error("its name or version is not valid")]
    BadName,
    /// It is a link that leads out of the project or the package manager's folder.
    #[error("it is a link that leads to another folder")]
    LeadsElsewhere,
    /// Its archive or its record is damaged or too large.
    #[error("it cannot be read: {reason}")]
    Unreadable {
        /// What is wrong.
        reason: String,
    },
}

impl InstalledPackage {
    /// Selects the files that document the package: documents first, then type declarations, then code with its comments.
    /// Tests, examples and nested packages are left out.
    pub fn list(&self, limits: &PackageLimits) -> PackageListing {
        let mut candidates = match &self.place {
            Place::Folder(root) => selection::of_folder(root, self.manager, limits),
            Place::Shared { root, paths, .. } => selection::of_record(root, self.manager, paths, limits),
            Place::Archive(archive) => selection::of_archive(archive, self.manager, limits),
        };
        if let Place::Shared { root, description, .. } = &self.place
            && let Ok(stamp) = crate::stamp(root, description)
        {
            candidates.add_document(Entry { path: description.clone(), stamp, is_in_git: false });
        }
        candidates.within(limits)
    }

    /// Reads one listed file; [`interpret`](Self::interpret) decodes it.
    pub fn read(&self, path: &str, limits: &PackageLimits) -> Result<RawFile, ReadError> {
        let (bytes, stamp) = match &self.place {
            Place::Folder(root) | Place::Shared { root, .. } => {
                read_bytes(root, path, limits.max_file_bytes)?
            }
            Place::Archive(archive) => archive.read(path, limits.max_file_bytes)?,
        };
        Ok(RawFile::new(path, stamp, bytes))
    }

    /// Decodes a file that [`read`](Self::read) returned.
    pub fn interpret(&self, file: RawFile) -> SourceFile {
        match &self.place {
            Place::Shared { description, .. } if file.path == *description => described(file),
            _ => file.interpret(),
        }
    }
}

/// A description as Python keeps it: the fields of a header, and a README below.
fn described(file: RawFile) -> SourceFile {
    let mut file = file.interpret();
    let Content::Text(text) = &file.content else { return file };
    let is_markdown = text.lines().take_while(|line| !line.is_empty()).any(|line| {
        let line = line.to_lowercase();
        line.strip_prefix("description-content-type:").is_some_and(|kind| kind.contains("markdown"))
    });
    file.language = if is_markdown { Language::Markdown } else { Language::ReStructuredText };
    file.kind = file.language.kind();
    file
}

#[cfg(test)]
mod tests;
