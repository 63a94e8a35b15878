//! Which definitions of a file the documentation knows, and where: what an editor writes above them.

use craig_source::Language;

use crate::context::CodeContext;
use crate::explain::{Citation, best_citation};
use crate::library::Library;

/// Definitions of a file that are looked at; what a file has beyond them is not. Each takes as long as a hover, some two
/// milliseconds (`docs/benchmarks.md`).
const MAX_DEFINITIONS: usize = 200;

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
/// Looks at no more than the first 200, and ends early, with what was found so far, when `is_wanted` says that nobody waits
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::explain::explain;

    fn library() -> Library {
        let page = "# Client\n\n## `client.request(options)`\n\nSends a request.\n\n## `client.close()`\n\nCloses it.\n";
        Library::of_texts(vec![("docs/client.md".into(), page.into())])
    }

    /// A class with many methods, the last of which is documented.
    fn code(n_others: usize) -> String {
        let others: String = (0..n_others).map(|n| format!("  inner{n} () {{}}\n")).collect();
        format!(
            "class Client {{\n  request (options) {{}}\n{others}  close () {{}}\n}}\nmodule.exports = {{ Client }}\n"
        )
    }

    fn found(text: &str, is_wanted: impl Fn() -> bool) -> Vec<(usize, String)> {
        let found = documented_definitions(&library(), "client.js", Language::JavaScript, text, is_wanted);
        found.into_iter().map(|one| (one.lines.0, one.citation.section_heading)).collect()
    }

    #[test]
    fn what_is_found_is_what_an_explanation_cites_first() {
        let text = code(3);
        let found = documented_definitions(&library(), "client.js", Language::JavaScript, &text, || true);
        let lines: Vec<usize> = found.iter().map(|one| one.lines.0).collect();
        assert_eq!(lines, [1, 2, 6]);
        for one in found {
            let context = CodeContext::read("client.js", Language::JavaScript, &text, Some(one.lines));
            assert_eq!(explain(&library(), &context).citations[0], one.citation);
        }
    }

    #[test]
    fn a_file_of_many_definitions_is_looked_at_up_to_a_bound() {
        assert_eq!(found(&code(MAX_DEFINITIONS - 3), || true).last().unwrap().1, "`client.close()`");
        assert_eq!(found(&code(MAX_DEFINITIONS), || true).last().unwrap().1, "`client.request(options)`");
    }

    #[test]
    fn nothing_more_is_looked_at_when_nobody_waits() {
        let n_asked = Cell::new(0);
        let is_wanted = || n_asked.replace(n_asked.get() + 1) < 2;
        assert_eq!(found(&code(50), is_wanted).len(), 2);
        assert_eq!(n_asked.get(), 3);
    }
}
