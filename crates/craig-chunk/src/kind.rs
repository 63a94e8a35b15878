//! What a chunk or a definition is, and its name as stored and shown.

use craig_source::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A free function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A class, struct, record or object; whole when it fits, else its header.
    Class,
    /// An interface, trait or protocol.
    Interface,
    /// An enumeration.
    Enum,
    /// A module or namespace header.
    Module,
    /// A type alias.
    Type,
    /// A constant, variable or property at top level.
    Constant,
    /// Import lines.
    Import,
    /// A section of a document under one heading.
    Section,
    /// Anything else: a run of statements, a window of text.
    Block,
}

impl ChunkKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Interface,
        Self::Enum,
        Self::Module,
        Self::Type,
        Self::Constant,
        Self::Import,
        Self::Section,
        Self::Block,
    ];

    /// The name stored and shown: `function`, `method` …
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Module => "module",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Import => "import",
            Self::Section => "section",
            Self::Block => "block",
        }
    }

    /// The word of a language for it: `struct`, `trait`.
    pub fn word(self, language: Language) -> &'static str {
        use Language as L;
        match (self, language) {
            (Self::Class, L::Rust | L::Go | L::C | L::Zig) => "struct",
            (Self::Interface, L::Rust) => "trait",
            (Self::Interface, L::Swift) => "protocol",
            _ => self.as_str(),
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
