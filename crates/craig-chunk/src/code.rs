//! Code that a grammar reads.

use tree_sitter::Range;

use crate::cut::cut;
use crate::grammar::Grammar;
use crate::parse::parse;
use crate::walk::walk;
use crate::{Outline, Parsed};

/// Cuts `text`, or the `part` of it that is code; none when it cannot be parsed in time.
pub(crate) fn outline(grammar: &Grammar, text: &str, part: Option<Range>) -> Option<Outline> {
    let tree = parse(grammar, text, part)?;
    let walked = walk(&tree, text, grammar);
    if walked.units.is_empty() {
        return None;
    }
    let range = part.map_or(0..text.len(), |part| part.start_byte..part.end_byte);
    let chunks = cut(&tree, text, &walked, range);
    let parsed = if tree.root_node().has_error() { Parsed::Partly } else { Parsed::Whole };
    Some(Outline { chunks, symbols: walked.symbols, imports: walked.imports, parsed })
}
