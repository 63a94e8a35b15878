//! Short quotes are extended by a neighbouring sentence: the one before or after often explains.

use std::ops::Range;

use super::quotable::ENOUGH_WORDS;
use super::{Reading, Statement};

/// Quotes with fewer words in total are extended.
const FEW_WORDS_IN_ALL: usize = 16;

impl Reading<'_> {
    /// The quotes, extended while they are short: by the sentence after them, or else by the one before.
    pub(super) fn with_neighbours(
        &self,
        statements: &[Statement],
        mut quotes: Vec<Range<usize>>,
    ) -> Vec<Range<usize>> {
        while let Some(neighbour) = self.neighbour(statements, &quotes) {
            quotes.push(neighbour.bytes.clone());
        }
        quotes
    }

    fn neighbour<'s>(&self, statements: &'s [Statement], quotes: &[Range<usize>]) -> Option<&'s Statement> {
        let is_quoted = |one: &&Statement| quotes.contains(&one.bytes);
        let n_words: usize = statements.iter().filter(is_quoted).map(|one| one.n_words).sum();
        let first = statements.iter().position(|one| is_quoted(&one))?;
        let last = statements.iter().rposition(|one| is_quoted(&one))?;
        let next = statements.get(last + 1).filter(|next| self.continues(&statements[last], next));
        let before = first.checked_sub(1).map(|at| &statements[at]);
        let before = before.filter(|before| self.leads_to(before, &statements[first]));
        next.or(before).filter(|_| n_words < FEW_WORDS_IN_ALL)
    }

    /// Whether a sentence goes on in the paragraph of another, or in the next one below a heading that is the name.
    fn continues(&self, one: &Statement, next: &Statement) -> bool {
        let is_near = one.unit == next.unit || one.unit + 1 == next.unit && self.is_headed_alone();
        is_near
            && self.is_prose(one)
            && self.is_prose(next)
            && !next.announces
            && !self.begins_otherwise(next)
    }

    /// Whether a sentence stands right before another, in its paragraph or in the one before, and can be read without more.
    fn leads_to(&self, before: &Statement, one: &Statement) -> bool {
        let is_near = before.unit == one.unit || before.unit + 1 == one.unit;
        is_near
            && self.is_prose(one)
            && self.is_prose(before)
            && before.stands_alone()
            && before.is_whole
            && !self.begins_otherwise(before)
    }

    /// Whether it stands in a paragraph, not in a list, a table or the entry of a name, and has content.
    fn is_prose(&self, statement: &Statement) -> bool {
        let unit = &self.place.section.units[statement.unit];
        let is_in_paragraph = unit.items.is_empty() && !unit.is_row && unit.defines.is_none();
        is_in_paragraph && statement.n_words >= ENOUGH_WORDS
    }

    /// Whether it begins with code that is not the name: it is about that.
    fn begins_otherwise(&self, statement: &Statement) -> bool {
        self.place.page.text[statement.bytes.clone()].starts_with('`') && !statement.has_name
    }
}
