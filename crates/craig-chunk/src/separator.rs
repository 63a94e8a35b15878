//! What joins qualified names.

use craig_source::Language;

use crate::{ChunkKind, Symbol};

impl Symbol {
    /// Its name after that of what encloses it: `Router::route`, `Flask.wsgi_app`, `Guide > Install`.
    pub fn qualified_name(&self, language: Language) -> String {
        let separator = if self.kind == ChunkKind::Section { " > " } else { separator(language) };
        match self.parent.as_deref().filter(|parent| !parent.is_empty()) {
            Some(parent) => format!("{parent}{separator}{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The same as in the tables of grammars, without loading a grammar.
fn separator(language: Language) -> &'static str {
    match language {
        Language::Rust | Language::C | Language::Cpp | Language::Cuda | Language::Ruby | Language::Bash => {
            "::"
        }
        Language::Php => "\\",
        Language::Html | Language::Css | Language::Scss | Language::Less => " ",
        _ => ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::grammar;

    #[test]
    fn separators_are_those_of_the_grammars() {
        for language in Language::all() {
            if let Some(grammar) = grammar(language) {
                assert_eq!(separator(language), grammar.table.separator, "{}", language.id());
            }
        }
    }
}
