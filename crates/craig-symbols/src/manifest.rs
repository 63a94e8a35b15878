//! Manifests and lock files of package managers: the declared dependencies of a project.

mod c;
mod cargo;
mod composer;
mod dotnet;
mod elixir;
mod go;
mod gradle;
mod haskell;
mod maven;
mod npm;
mod python;
mod ruby;
mod sbt;
mod swift;
mod yaml;

use std::collections::BTreeMap;

use craig_text::path::{folder, name};

use crate::declared::{Declared, Ecosystem, Scope};

/// The content of one manifest.
#[derive(Default)]
pub(crate) struct Manifest {
    pub(crate) declared: Vec<Declared>,
    /// Names of the packages that it defines.
    pub(crate) own: Vec<(Ecosystem, String)>,
}

/// The content of one lock file.
#[derive(Default)]
pub(crate) struct Lock {
    /// Versions by package name, in the order of the file.
    pub(crate) versions: BTreeMap<String, Vec<String>>,
    /// Versions by name and requirement, if the file has requirements.
    pub(crate) asked: BTreeMap<(String, String), String>,
    /// Prefixes of names in code, if the file has them.
    pub(crate) prefixes: BTreeMap<String, Vec<String>>,
}

impl Lock {
    fn add(&mut self, name: impl Into<String>, version: impl Into<String>) {
        let versions = self.versions.entry(name.into()).or_default();
        let version = version.into();
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
}

/// Whether the analyses need the text of a file.
pub(crate) fn is_wanted(path: &str) -> bool {
    reader(path).is_some()
        || lock_reader(path).is_some()
        || is_script_config(path)
        || name(path) == "libs.versions.toml"
}

/// Whether a file has compiler options that map imports of scripts.
pub(crate) fn is_script_config(path: &str) -> bool {
    let name = name(path);
    name == "jsconfig.json" || name.starts_with("tsconfig") && name.ends_with(".json")
}

type Read = fn(&str, &str) -> Option<Manifest>;
type ReadLock = fn(&str) -> Option<Lock>;

/// The reader for a manifest, by its name.
fn reader(path: &str) -> Option<Read> {
    Some(match name(path) {
        "package.json" => npm::manifest,
        "Cargo.toml" => cargo::manifest,
        "pyproject.toml" => python::pyproject,
        "setup.cfg" => python::setup_cfg,
        "setup.py" => python::setup_py,
        "Pipfile" => python::pipfile,
        "go.mod" => go::manifest,
        "pom.xml" => maven::manifest,
        "Gemfile" => ruby::gemfile,
        "composer.json" => composer::manifest,
        "mix.exs" => elixir::manifest,
        "Package.swift" => swift::manifest,
        "build.sbt" | "Dependencies.scala" | "Build.scala" => sbt::manifest,
        "pubspec.yaml" => yaml::pubspec,
        "environment.yml" | "environment.yaml" => yaml::conda,
        "package.yaml" => haskell::package_yaml,
        "vcpkg.json" => c::vcpkg,
        "conanfile.txt" => c::conan,
        "CMakeLists.txt" => c::cmake,
        "meson.build" => c::meson,
        "packages.config" | "Directory.Packages.props" | "Directory.Build.props" => dotnet::manifest,
        file if file.ends_with(".gradle") || file.ends_with(".gradle.kts") => gradle::manifest,
        file if file.ends_with(".gemspec") => ruby::gemspec,
        file if file.ends_with(".cabal") => haskell::cabal,
        file if [".csproj", ".fsproj", ".vbproj"].iter().any(|end| file.ends_with(end)) => dotnet::manifest,
        file if is_requirements(path, file) => python::requirements,
        _ => return None,
    })
}

/// `requirements.txt`, `requirements-dev.txt`, `dev-requirements.in`, `requirements/test.txt`.
fn is_requirements(path: &str, file: &str) -> bool {
    let is_list = file.ends_with(".txt") || file.ends_with(".in");
    is_list && (file.contains("requirements") || name(folder(path)) == "requirements")
}

fn lock_reader(path: &str) -> Option<(Ecosystem, ReadLock)> {
    Some(match name(path) {
        "package-lock.json" | "npm-shrinkwrap.json" => (Ecosystem::Npm, npm::package_lock),
        "yarn.lock" => (Ecosystem::Npm, npm::yarn_lock),
        "pnpm-lock.yaml" => (Ecosystem::Npm, yaml::pnpm_lock),
        "bun.lock" => (Ecosystem::Npm, npm::bun_lock),
        "Cargo.lock" => (Ecosystem::Cargo, cargo::lock),
        "poetry.lock" | "uv.lock" | "pdm.lock" => (Ecosystem::PyPi, python::lock),
        "Pipfile.lock" => (Ecosystem::PyPi, python::pipfile_lock),
        "Gemfile.lock" => (Ecosystem::RubyGems, ruby::lock),
        "composer.lock" => (Ecosystem::Packagist, composer::lock),
        "mix.lock" => (Ecosystem::Hex, elixir::lock),
        "Package.resolved" => (Ecosystem::Swift, swift::lock),
        "pubspec.lock" => (Ecosystem::Pub, yaml::pubspec_lock),
        _ => return None,
    })
}

/// Reads the manifest at `path`; `None` if it is not a manifest or cannot be parsed.
pub(crate) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    reader(path)?(path, text)
}

/// Reads the lock file at `path`.
pub(crate) fn lock(path: &str, text: &str) -> Option<(Ecosystem, Lock)> {
    let (ecosystem, read) = lock_reader(path)?;
    Some((ecosystem, read(text)?))
}

/// Versions and libraries shared by Gradle builds: catalogs and maps of coordinates.
pub(crate) use gradle::{BY_ALIAS, Catalog};

pub(crate) use cargo::OF_WORKSPACE;
pub(crate) use python::normal as normal_python_name;

/// A dependency as it is declared.
fn declare(
    ecosystem: Ecosystem,
    name: &str,
    requirement: Option<&str>,
    scope: Scope,
    path: &str,
) -> Declared {
    let requirement = requirement.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    Declared {
        ecosystem,
        name: name.to_owned(),
        requirement,
        version: None,
        scope,
        manifest: path.to_owned(),
        called: None,
        prefixes: Vec::new(),
    }
}

/// The first string in quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let start = text.find(['"', '\''])?;
    let quote = text.as_bytes()[start] as char;
    let inside = &text[start + 1..];
    let end = inside.find(quote)?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// All strings in quotes.
fn all_quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((string, after)) = quoted(rest) {
        found.push(string);
        rest = after;
    }
    found
}

/// The scope of a group of dependencies, by its name.
fn scope_of_group(group: &str) -> Scope {
    let group = group.to_lowercase();
    let is_dev =
        ["dev", "test", "doc", "lint", "typing", "format", "bench", "ci", "example", "type", "check", "qa"]
            .iter()
            .any(|word| group.contains(word));
    if is_dev { Scope::Dev } else { Scope::Optional }
}
