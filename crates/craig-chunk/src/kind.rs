//! Names of chunk kinds as stored and shown.

use crate::ChunkKind;

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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
