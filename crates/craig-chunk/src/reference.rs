//! What a file refers to, as data: imports, packages, names of other files.

use serde::{Deserialize, Serialize};

/// How a file refers to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// An import statement: `import`, `use`, `using`, `alias`.
    Import,
    /// An import of types only, never executed: `import type`, imports under Python's `if TYPE_CHECKING`.
    TypeImport,
    /// A re-export: `export … from`, `pub use`.
    Reexport,
    /// An import at run time: `import("x")`.
    DynamicImport,
    /// A call that loads a file: `require`, `source`.
    Require,
    /// `#include "x"`, PHP's `include`.
    Include,
    /// `#include <x>`.
    SystemInclude,
    /// An import of members: `import static`, `using static`.
    StaticImport,
    /// A file that is a part of this one: Rust's `mod x;`.
    Module,
}

impl ReferenceKind {
    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::TypeImport => "type_import",
            Self::Reexport => "reexport",
            Self::DynamicImport => "dynamic_import",
            Self::Require => "require",
            Self::Include | Self::SystemInclude => "include",
            Self::StaticImport => "static_import",
            Self::Module => "module",
        }
    }
}

/// One import, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// How it is written.
    pub kind: ReferenceKind,
    /// The module path or file string, quotes removed.
    pub target: String,
    /// Names brought in, in order; empty when the module as a whole is, `*` for all.
    pub names: Vec<String>,
    /// The local name of what is imported, if the whole statement has one: Go, C#, Rust.
    pub alias: Option<String>,
    /// Line, 1-based.
    pub line: u32,
    /// Modules of this file that enclose it, outermost first: Rust.
    pub within: Vec<String>,
    /// The file that a Rust `mod` names with `#[path]`.
    pub path: Option<String>,
    /// Whether it is executed only when a function is called: Python, scripts, Ruby, PHP, Lua, shell.
    pub lazy: bool,
}

/// A name that is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// As written, qualified where it is: `serde_json::from_str`, `fmt.Println`, `Token`.
    pub name: String,
    /// Line of the first use, 1-based.
    pub line: u32,
}

/// What one file refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct References {
    /// Packages or namespaces that the file adds to, in order.
    pub packages: Vec<String>,
    /// Imports in file order.
    pub imports: Vec<Reference>,
    /// Names that may be of other files, by name: qualified paths of Rust and Go; names of types in languages whose files
    /// see their own package without any import.
    pub uses: Vec<Use>,
}
