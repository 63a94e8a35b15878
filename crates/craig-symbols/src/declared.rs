//! A dependency as a manifest declares it: ecosystem, scope, requirement.

use serde::{Deserialize, Serialize};

/// Where packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ecosystem {
    /// C and C++: vcpkg, Conan, the system.
    C,
    /// Rust.
    Cargo,
    /// Go modules.
    Go,
    /// Haskell.
    Hackage,
    /// Elixir and Erlang.
    Hex,
    /// Lua.
    #[serde(rename = "luarocks")]
    LuaRocks,
    /// Java, Kotlin, Scala: coordinates `group:artifact`.
    Maven,
    /// JavaScript and TypeScript.
    Npm,
    /// .NET.
    #[serde(rename = "nuget")]
    NuGet,
    /// PHP.
    Packagist,
    /// Dart.
    Pub,
    /// Python.
    #[serde(rename = "pypi")]
    PyPi,
    /// Ruby.
    #[serde(rename = "rubygems")]
    RubyGems,
    /// Swift packages.
    Swift,
}

impl Ecosystem {
    /// Whether an import names the package that it comes from. In the others, a declared package may bring what is imported
    /// under any name, and packages that it depends on; modules of Lua may come from the program that runs it.
    pub fn imports_name_packages(self) -> bool {
        match self {
            Self::Cargo | Self::Go | Self::Hex => true,
            Self::Npm | Self::Pub | Self::PyPi | Self::RubyGems => true,
            Self::C | Self::Hackage | Self::LuaRocks | Self::Maven => false,
            Self::NuGet | Self::Packagist | Self::Swift => false,
        }
    }

    /// Name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::C => "C packages",
            Self::Cargo => "crates",
            Self::Go => "Go modules",
            Self::Hackage => "Hackage",
            Self::Hex => "Hex",
            Self::LuaRocks => "LuaRocks",
            Self::Maven => "Maven",
            Self::Npm => "npm",
            Self::NuGet => "NuGet",
            Self::Packagist => "Packagist",
            Self::Pub => "pub",
            Self::PyPi => "PyPI",
            Self::RubyGems => "gems",
            Self::Swift => "Swift packages",
        }
    }
}

/// What a package is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// At run time.
    Runtime,
    /// At run time, installed by the user of the package.
    Peer,
    /// To compile; provided by the environment at run time.
    Provided,
    /// By an optional part.
    Optional,
    /// To build.
    Build,
    /// For tests and development.
    Dev,
    /// Only by another package.
    Indirect,
    /// Shared settings that members of a workspace refer to.
    Workspace,
}

impl Scope {
    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Peer => "peer",
            Self::Provided => "provided",
            Self::Optional => "optional",
            Self::Build => "build",
            Self::Dev => "dev",
            Self::Indirect => "indirect",
            Self::Workspace => "workspace",
        }
    }
}

/// A dependency of one manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Where the package comes from.
    pub ecosystem: Ecosystem,
    /// Its name, as the ecosystem writes it.
    pub name: String,
    /// The version requirement, as written.
    pub requirement: Option<String>,
    /// The version in the lock file.
    pub version: Option<String>,
    /// What it is needed for.
    pub scope: Scope,
    /// Path of the manifest.
    pub manifest: String,
    /// Its name in code, if the manifest renames it.
    pub called: Option<String>,
    /// Prefixes of its names in code, if a lock file has them.
    pub prefixes: Vec<String>,
}
