//! What joins qualified names.

use craig_source::Language;

use crate::kind::ChunkKind;
use crate::languages;
use crate::outline::Symbol;

impl Symbol {
    /// Its name after that of what encloses it: `Router::route`, `Flask.wsgi_app`, `Guide > Install`.
    pub fn qualified_name(&self, language: Language) -> String {
        qualified_name(self.parent.as_deref(), &self.name, self.kind, language)
    }
}

/// A name after that of what encloses it, as its language joins them; of a section, after the headings above it.
pub fn qualified_name(parent: Option<&str>, name: &str, kind: ChunkKind, language: Language) -> String {
    let separator = if kind == ChunkKind::Section { " > " } else { separator(language) };
    match parent.filter(|parent| !parent.is_empty()) {
        Some(parent) => format!("{parent}{separator}{name}"),
        None => name.to_owned(),
    }
}

/// What joins the names of a language.
pub fn separator(language: Language) -> &'static str {
    languages::table(language).map_or(".", |table| table.separator)
}
