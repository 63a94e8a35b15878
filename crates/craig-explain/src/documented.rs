//! Which definitions of a file the documentation knows, and where: what an editor writes above them.

use craig_source::Language;

use crate::context::CodeContext;
use crate::explain::{Citation, best_citation};
use crate::library::Library;

/// Definitions of a file that are looked at; what a file has beyond them is not. Looking takes some tenths of a millisecond
/// each.
const MAX_DEFINITIONS: usize = 300;

/// A function or class that the documentation is about.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentedDefinition {
    /// From the line of its name to its last, 1-based, inclusive.
    pub lines: (usize, usize),
    /// The section that [`explain`](crate::explain) cites first when these lines are selected.
    pub citation: Citation,
}

/// The functions and classes of a file that are documented, in the order of their lines. The gate alone decides: nothing is
/// quoted.
///
/// Looks at no more than the first 300, and ends early, with what was found so far, when `is_wanted` says that nobody waits
/// any more. `file_name` is the path relative to the root of the documentation.
pub fn documented_definitions(
    library: &Library,
    file_name: &str,
    language: Language,
    text: &str,
    is_wanted: impl Fn() -> bool,
) -> Vec<DocumentedDefinition> {
    let definitions = CodeContext::definitions(language, text, MAX_DEFINITIONS).into_iter();
    let look = |lines| {
        let context = CodeContext::read(file_name, language, text, Some(lines));
        best_citation(library, &context).map(|citation| DocumentedDefinition { lines, citation })
    };
    definitions.take_while(|_| is_wanted()).filter_map(look).collect()
}
