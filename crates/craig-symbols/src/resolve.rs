//! Import resolution: from an import as written to the file or package that it refers to.

mod c;
mod csharp;
mod go;
mod jvm;
mod named;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod standard;

use craig_chunk::Reference;
use craig_source::Language;

use crate::declared::Ecosystem;
use crate::packages::Packages;
use crate::workspace::{FileIx, SourceFile, Workspace};

pub use script::{Scripts, package_name};

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file of the project.
    File(FileIx),
    /// A package of an ecosystem, by its name in the import.
    Package(Ecosystem, String),
    /// The language's own library.
    Standard,
    /// Neither a file nor a package was found.
    Unknown,
}

/// A use of another file without an import statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implicit {
    /// The other file.
    pub to: FileIx,
    /// Line of the first use, 1-based.
    pub line: u32,
    /// Why no import is needed.
    pub kind: ImplicitKind,
}

/// Why a file uses another without importing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImplicitKind {
    /// By a name that is visible in the whole package.
    SamePackage,
    /// By a qualified name.
    QualifiedName,
}

impl ImplicitKind {
    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SamePackage => "same_package",
            Self::QualifiedName => "qualified_name",
        }
    }
}

/// What a file uses beyond its import statements.
#[derive(Default)]
pub struct Beyond {
    /// Files of the project.
    pub files: Vec<Implicit>,
    /// Packages, each with its name in the code and the line of the first use, 1-based.
    pub packages: Vec<(Ecosystem, String, u32)>,
}

/// The resolvers of all languages over one workspace.
pub struct Resolver<'w> {
    workspace: &'w Workspace,
    script: Scripts<'w>,
    python: python::Modules<'w>,
    rust: rust::Crates<'w>,
    go: go::Modules<'w>,
    jvm: jvm::Types<'w>,
    csharp: csharp::Types<'w>,
    php: php::Types<'w>,
    ruby: ruby::Libraries<'w>,
    c: c::Headers<'w>,
    named: named::Names<'w>,
}

impl<'w> Resolver<'w> {
    /// Prepares the resolvers.
    pub fn new(workspace: &'w Workspace, packages: &'w Packages) -> Self {
        Self {
            workspace,
            script: Scripts::new(workspace),
            python: python::Modules::new(workspace),
            rust: rust::Crates::new(workspace, packages),
            go: go::Modules::new(workspace),
            jvm: jvm::Types::new(workspace),
            csharp: csharp::Types::new(workspace, packages),
            php: php::Types::new(workspace, packages),
            ruby: ruby::Libraries::new(workspace),
            c: c::Headers::new(workspace),
            named: named::Names::new(workspace, packages),
        }
    }

    /// The targets of one import: several if it names several modules.
    pub fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        use Language as L;
        match self.workspace.files[from].language {
            L::TypeScript | L::Tsx | L::JavaScript | L::Vue | L::Svelte | L::Astro | L::Html => {
                vec![self.script.resolve(from, &import.target)]
            }
            L::Python | L::Notebook => self.python.resolve(from, import),
            L::Rust => self.rust.resolve(from, import),
            L::Go => self.go.resolve(from, import),
            L::Java | L::Kotlin | L::Scala | L::Groovy => self.jvm.resolve(from, import),
            L::CSharp => self.csharp.resolve(from, import),
            L::Php => self.php.resolve(from, import),
            L::Ruby => vec![self.ruby.resolve(from, import)],
            L::C | L::Cpp | L::Cuda | L::ObjectiveC => vec![self.c.resolve(from, import)],
            L::Elixir => self.named.elixir(from, import),
            _ => vec![self.named.resolve(from, import)],
        }
    }

    /// The declaration file of a JavaScript file, or the stub of a Python module, in the same folder.
    pub(crate) fn declaration_of(&self, file: FileIx) -> Option<FileIx> {
        let SourceFile { path, language, .. } = &self.workspace.files[file];
        match language {
            Language::Python => self.workspace.file(&format!("{path}i")),
            _ => self.script.declaration_of(file),
        }
    }

    /// The folder of the manifest of a Rust file's package.
    pub(crate) fn cargo_manifest(&self, file: FileIx) -> Option<&str> {
        self.rust.manifest_of(file)
    }

    /// What a file uses without import statements.
    pub fn beyond_imports(&self, from: FileIx) -> Beyond {
        match self.workspace.files[from].language {
            Language::Rust => self.rust.beyond_imports(from),
            Language::Go => self.go.beyond_imports(from),
            Language::Java | Language::Kotlin | Language::Scala => self.jvm.beyond_imports(from),
            Language::CSharp => self.csharp.beyond_imports(from),
            Language::Php => self.php.beyond_imports(from),
            Language::Ruby => self.ruby.beyond_imports(from),
            Language::Elixir => self.named.beyond_imports(from),
            _ => Beyond::default(),
        }
    }
}

/// The nearest of several files to `from`: most shared folders, then not a test, then the first path.
pub(crate) fn nearest(workspace: &Workspace, from: FileIx, found: &[FileIx]) -> Option<FileIx> {
    let path = &workspace.files[from].path;
    found.iter().copied().min_by_key(|&at| {
        let file = &workspace.files[at];
        let shared = craig_text::path::shared_folders(path, &file.path);
        (std::cmp::Reverse(shared), file.is_test, file.path.len(), at)
    })
}
