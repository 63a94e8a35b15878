//! The syntax trees of a file, whatever it is: of its code, of scripts in a page, of cells of a notebook.

use std::borrow::Cow;

use craig_source::Language;

use crate::embedded::Code;
use crate::parse::ParsedCode;
use crate::{code, embedded, languages, notebook};

/// The code in a file whose own language is none that is parsed, in order; `None` for files of one language, as pages without
/// scripts are.
pub(crate) fn embedded_code(language: Language, text: &str) -> Option<Vec<Code>> {
    match language {
        Language::Notebook => Some(notebook::code(text)),
        _ => embedded::scripts_of(language, text),
    }
}

/// The language that the code in a file has, or that the file has.
pub(crate) fn language_of_code(language: Language, text: &str) -> Language {
    match language {
        Language::Notebook => notebook::code(text).first().map_or(language, |first| first.language),
        _ => embedded::language_of_scripts(language, text),
    }
}

/// The syntax trees of a text: one, or one for each script of a component and cell of a notebook; empty if the language has no grammar, `None` if
/// parsing takes too long.
pub(crate) fn trees(language: Language, text: &str) -> Option<Vec<ParsedCode>> {
    if let Some(code) = embedded_code(language, text) {
        let is_notebook = language == Language::Notebook;
        let text = if is_notebook { notebook::without_magics(text) } else { Cow::Borrowed(text) };
        return Some(embedded::trees(&text, &code));
    }
    let Some(grammar) = languages::grammar(language) else { return Some(Vec::new()) };
    code::tree(grammar, text, None).map(|read| vec![read])
}
