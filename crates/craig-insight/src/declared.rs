//! A dependency as a manifest declares it: its ecosystem, its scope, what is asked for.

use serde::Serialize;

/// Where packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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

/// What a package is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// By what is shipped.
    Runtime,
    /// By what is shipped, if its user brings it.
    Peer,
    /// To compile; brought by the place it runs in.
    Provided,
    /// By a part that may be left out.
    Optional,
    /// To build.
    Build,
    /// For tests and development.
    Dev,
    /// By another package only.
    Indirect,
    /// Shared settings, from which members of a workspace choose.
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
pub(crate) struct Declared {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) name: String,
    /// What is asked for, as written.
    pub(crate) requirement: Option<String>,
    /// What a lock file holds.
    pub(crate) version: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) manifest: String,
    /// What code calls it, where the manifest gives another name.
    pub(crate) called: Option<String>,
    /// Prefixes of its names in code, where a file tells them.
    pub(crate) prefixes: Vec<String>,
}
