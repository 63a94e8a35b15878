//! Finds a package where its package manager keeps it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use craig_text::path::{ancestors, under};
use serde::Deserialize;

use super::{
    InstalledPackage, PackageError, PackageManager, PackagePlaces, Place, WantedPackage,
    archive::SourceArchive,
};
use crate::{ReadError, Root, read::read_bytes};

/// A manifest or record is not larger.
const MAX_MANIFEST_BYTES: u64 = 4 << 20;

/// A name or version is not longer.
const MAX_PART_BYTES: usize = 200;

/// Most folders of a package manager in which one package is looked for: registries, versions, environments.
const MAX_FOLDERS: usize = 20_000;

impl PackagePlaces {
    /// Finds a package that a project uses.
    ///
    /// Fails if it is not installed, or not in the locked version, or if something there is not what it claims to be.
    pub fn find(&self, project: &Root, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
        let version_is_valid = wanted.version.is_none_or(is_plain);
        if !version_is_valid || !wanted.name.split(['/', ':']).all(is_plain) {
            return Err(PackageError::BadName);
        }
        match wanted.manager {
            PackageManager::Npm => npm(project, wanted),
            PackageManager::PyPi => self.python(project, wanted),
            PackageManager::Cargo => self.cargo(project, wanted),
            PackageManager::Go => self.go(project, wanted),
            PackageManager::Maven => self.maven(wanted),
        }
    }

    /// The packages of the nearest virtual environment, or of the active one.
    fn python(&self, project: &Root, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
        let in_project = ancestors(wanted.folder)
            .flat_map(|at| [".venv", "venv", "env"].map(|name| (project.path().to_owned(), under(at, name))));
        let active = self.virtual_environment.clone().map(|path| (path, String::new()));
        let mut failed = PackageError::NotInstalled;
        for (base, below) in in_project.chain(active) {
            for site in site_packages(&base.join(below)) {
                match python_in(&base, &site, wanted) {
                    Err(PackageError::NotInstalled) => {}
                    Err(error) => failed = error,
                    found => return found,
                }
            }
        }
        Err(failed)
    }

    fn cargo(&self, project: &Root, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
        let version = wanted.version.ok_or(PackageError::NotInstalled)?;
        let named = format!("{}-{version}", wanted.name);
        let mut other = None;
        for at in ancestors(wanted.folder) {
            for name in [named.as_str(), wanted.name] {
                let below = under(at, "vendor/") + name;
                let Ok(root) = folder_in(project.path(), &below) else { continue };
                match cargo_version(&root) {
                    Some(found) if found == version => {
                        return Ok(wanted.installed(version, Place::Folder(root)));
                    }
                    found => other = other.or(found),
                }
            }
        }
        let registries = self.cargo_home.as_ref().map(|home| home.join("registry/src")).unwrap_or_default();
        let folders = folders(&registries);
        let places = folders.iter().map(|registry| registry.join(&named));
        match first_folder(&registries, places) {
            Ok(root) => Ok(wanted.installed(version, Place::Folder(root))),
            Err(PackageError::NotInstalled) => match other.or_else(|| version_in(&folders, wanted.name)) {
                Some(other) => Err(wanted.checked(other).err().unwrap_or(PackageError::NotInstalled)),
                None => Err(PackageError::NotInstalled),
            },
            Err(error) => Err(error),
        }
    }

    fn go(&self, project: &Root, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
        let version = wanted.version.ok_or(PackageError::NotInstalled)?;
        for at in ancestors(wanted.folder) {
            if let Ok(root) = folder_in(project.path(), &(under(at, "vendor/") + wanted.name)) {
                return Ok(wanted.installed(version, Place::Folder(root)));
            }
        }
        let cache = self.go_modules.as_ref().ok_or(PackageError::NotInstalled)?;
        let below = format!("{}@{}", go_escaped(wanted.name), go_escaped(version));
        let root = folder_in(cache, &below)?;
        Ok(wanted.installed(version, Place::Folder(root)))
    }

    fn maven(&self, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
        let (group, artifact) = wanted.name.split_once(':').ok_or(PackageError::BadName)?;
        let maven = self.maven_repository.as_ref();
        let maven = maven.map(|path| (path, path.join(group.replace('.', "/")).join(artifact)));
        let gradle = self.gradle_home.as_ref().map(|path| (path, path.join("caches/modules-2/files-2.1")));
        let gradle = gradle.map(|(base, path)| (base, path.join(group).join(artifact)));
        let mut is_there = false;
        for (base, place) in maven.into_iter().chain(gradle) {
            let version = match wanted.version {
                Some(version) => version.to_owned(),
                None => match only_version(&place)? {
                    Some(version) => version,
                    None => continue,
                },
            };
            let folder = place.join(&version);
            is_there |= folder.is_dir();
            let jar = format!("{artifact}-{version}-sources.jar");
            // Gradle has one more folder, named by a hash.
            let hashed = folders(&folder).into_iter().map(|hash| hash.join(&jar));
            let mut jars = std::iter::once(folder.join(&jar)).chain(hashed);
            if let Some(path) = jars.find(|path| path.is_file()) {
                let root = Root::open(base).map_err(|_| PackageError::NotInstalled)?;
                let archive = SourceArchive::open(&root, &path)?;
                return Ok(wanted.installed(&version, Place::Archive(archive)));
            }
        }
        Err(if is_there { PackageError::NoSources } else { PackageError::NotInstalled })
    }
}

impl WantedPackage<'_> {
    fn installed(&self, version: &str, place: Place) -> InstalledPackage {
        let (manager, name, version) = (self.manager, self.name.to_owned(), version.to_owned());
        InstalledPackage { manager, name, version, place }
    }

    /// The installed version, if it is the locked one.
    fn checked(&self, installed: String) -> Result<String, PackageError> {
        match self.version {
            Some(locked) if locked != installed => {
                Err(PackageError::OtherVersion { installed, locked: locked.to_owned() })
            }
            _ => Ok(installed),
        }
    }
}

/// The nearest `node_modules` that has the package.
fn npm(project: &Root, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
    #[derive(Deserialize)]
    struct Manifest {
        name: String,
        version: String,
    }
    let mut failed = PackageError::NotInstalled;
    for at in ancestors(wanted.folder) {
        let root = match folder_in(project.path(), &(under(at, "node_modules/") + wanted.name)) {
            Ok(root) => root,
            Err(PackageError::NotInstalled) => continue,
            Err(error) => {
                failed = error;
                continue;
            }
        };
        let manifest = text_of(&root, "package.json").map(|text| serde_json::from_str::<Manifest>(&text));
        let Some(Ok(Manifest { name, version })) = manifest else { return Err(PackageError::OtherPackage) };
        if name != wanted.name || !is_plain(&version) {
            return Err(PackageError::OtherPackage);
        }
        let version = wanted.checked(version)?;
        return Ok(wanted.installed(&version, Place::Folder(root)));
    }
    Err(failed)
}

/// `lib/python3.12/site-packages`, or on Windows `Lib/site-packages`.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let versions = folders(&environment.join("lib")).into_iter();
    let unix = versions.map(|version| version.join("site-packages")).filter(|path| path.is_dir());
    let windows = environment.join("Lib/site-packages");
    unix.chain(windows.is_dir().then_some(windows)).collect()
}

/// A package by its folder `name-version.dist-info`, whose `RECORD` lists its files.
fn python_in(base: &Path, site: &Path, wanted: &WantedPackage<'_>) -> Result<InstalledPackage, PackageError> {
    let root = Root::open(site).map_err(|_| PackageError::NotInstalled)?;
    if !base.canonicalize().is_ok_and(|base| root.path().starts_with(base)) {
        return Err(PackageError::LeadsElsewhere);
    }
    let wanted_name = normal_python_name(wanted.name);
    let found = folders(root.path()).into_iter().find_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        let (package, version) = name.strip_suffix(".dist-info")?.rsplit_once('-')?;
        (normal_python_name(package) == wanted_name && is_plain(version))
            .then(|| (name.clone(), version.to_owned()))
    });
    let Some((info, version)) = found else { return Err(PackageError::NotInstalled) };
    let version = wanted.checked(version)?;
    let record = text_of(&root, &format!("{info}/RECORD"));
    let record = record.ok_or_else(|| PackageError::Unreadable { reason: "it has no RECORD".to_owned() })?;
    let paths = record.lines().filter_map(recorded_path).map(str::to_owned).collect();
    let description = format!("{info}/METADATA");
    Ok(wanted.installed(&version, Place::Shared { root, paths, description }))
}

/// The path in a line of a `RECORD`, unless it leads out of the folder. Paths in quotes have commas, as no module has.
fn recorded_path(line: &str) -> Option<&str> {
    let path = line.split(',').next()?;
    let is_inside = !path.is_empty() && path.split('/').all(is_plain);
    is_inside.then_some(path)
}

/// Names compare without case, and `-`, `_` and `.` are one (PEP 503).
fn normal_python_name(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

/// In the module cache, `!` and a small letter stand for a capital one.
fn go_escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

/// The only version of an artifact that has a folder.
fn only_version(place: &Path) -> Result<Option<String>, PackageError> {
    let mut versions =
        folders(place).into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    match (versions.next(), versions.next()) {
        (Some(_), Some(_)) => Err(PackageError::ManyVersions),
        (version, _) => Ok(version.filter(|version| is_plain(version))),
    }
}

/// Whether a part of a name can be one name of a file: hostile lock files name packages, too.
fn is_plain(part: &str) -> bool {
    let is_short = (1..=MAX_PART_BYTES).contains(&part.len());
    is_short
        && !matches!(part, "." | "..")
        && !part.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control())
}

/// The folder `below` a base, which links may lead to only from inside of the base: as pnpm lays out `node_modules`.
fn folder_in(base: &Path, below: &str) -> Result<Root, PackageError> {
    let (Ok(base), Ok(root)) = (base.canonicalize(), Root::open(base.join(below))) else {
        return Err(PackageError::NotInstalled);
    };
    match root.path().starts_with(&base) && root.path() != base {
        true => Ok(root),
        false => Err(PackageError::LeadsElsewhere),
    }
}

fn first_folder(base: &Path, places: impl Iterator<Item = PathBuf>) -> Result<Root, PackageError> {
    let mut failed = PackageError::NotInstalled;
    for place in places {
        let below = place.strip_prefix(base).ok().and_then(Path::to_str).unwrap_or_default();
        match folder_in(base, below) {
            Err(PackageError::NotInstalled) => {}
            Err(error) => failed = error,
            found => return found,
        }
    }
    Err(failed)
}

/// The folders of a folder, by name; links are none.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten().take(MAX_FOLDERS);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A version of a package in registries of cargo, by the name of its folder: `memchr-2.7.4`.
fn version_in(registries: &[PathBuf], name: &str) -> Option<String> {
    let packages = registries.iter().flat_map(|registry| folders(registry));
    let version = |path: PathBuf| {
        let version = path.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
    };
    packages.filter_map(version).next_back()
}

fn text_of(root: &Root, path: &str) -> Option<String> {
    let read: Result<_, ReadError> = read_bytes(root, path, MAX_MANIFEST_BYTES);
    String::from_utf8(read.ok()?.0).ok()
}

/// The version in a manifest of cargo.
fn cargo_version(root: &Root) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        version: String,
    }
    let manifest: Manifest = toml::from_str(&text_of(root, "Cargo.toml")?).ok()?;
    Some(manifest.package.version).filter(|version| is_plain(version))
}
