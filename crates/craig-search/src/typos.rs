//! Corrects unknown words of a query to words of the project: `fuzy patern` to `fuzzy pattern`.

use std::ops::RangeInclusive;

use craig_model::StaticModel;
use craig_text::{is_stop_word, runs, stem, words_of_run};

use crate::index::LiveSegment;
use crate::lexical::{is_known, n_chunks_with};

/// Letters of a word that is corrected: in shorter ones one letter makes another word.
const LETTERS: RangeInclusive<usize> = 4..=24;

/// Maximum number of corrected words of a query: a pasted text has hundreds of unknown words.
const MAX_CORRECTIONS: usize = 4;

/// A word as it was typed, and as the project has it.
pub(crate) struct Correction {
    typed: String,
    meant: String,
}

/// The words of a text that neither the project nor the vocabulary of the built-in embedding has, where the project has one that
/// differs after the first letter by one more, less or other, or by two that changed places: of several the most frequent.
pub(crate) fn corrections(text: &str, segments: &[LiveSegment]) -> Vec<Correction> {
    let is_word = |run: &&str| {
        LETTERS.contains(&run.len())
            && run.bytes().all(|byte| byte.is_ascii_alphabetic())
            && words_of_run(run, &mut |_| ()) == 1
    };
    let words = runs(text).map(|run| run.text).filter(is_word).filter(|typed| {
        let word = typed.to_ascii_lowercase();
        !is_stop_word(&word) && !StaticModel::builtin().knows(&word) && !is_known(stem(&word), segments)
    });
    let correct = |typed: &str| {
        let meant = meant(&typed.to_ascii_lowercase(), segments)?;
        Some(Correction { typed: typed.to_owned(), meant })
    };
    words.take(MAX_CORRECTIONS).filter_map(correct).collect()
}

/// The most frequent word of the project that is one step from `typed` and has its first letter.
fn meant(typed: &str, segments: &[LiveSegment]) -> Option<String> {
    let alike = near(typed).filter(|word| word.starts_with(&typed[..1]));
    let counted = alike.map(|word| (n_chunks_with(stem(&word), segments), word));
    let best = counted.max_by(|(n, word), (n_best, best)| n.cmp(n_best).then_with(|| best.cmp(word)));
    best.filter(|(n, _)| *n > 0).map(|(_, word)| word)
}

/// All words that are one step from `word`, a word of ASCII letters.
fn near(word: &str) -> impl Iterator<Item = String> {
    const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz";
    (0..=word.len()).flat_map(move |at| {
        let (before, after) = word.split_at(at);
        let mut letters = after.chars();
        let (first, second) = (letters.next(), letters.next());
        let without = after.get(1..);
        let inserted = ALPHABET.chars().map(move |letter| format!("{before}{letter}{after}"));
        let replaced =
            ALPHABET.chars().filter_map(move |letter| Some(format!("{before}{letter}{}", without?)));
        let removed = without.map(|rest| format!("{before}{rest}"));
        let swapped = first.zip(second).map(|(a, b)| format!("{before}{b}{a}{}", &after[2..]));
        inserted.chain(replaced).chain(removed).chain(swapped)
    })
}

/// `text` with what was meant for what was typed.
pub(crate) fn corrected(text: &str, corrections: &[Correction]) -> String {
    let mut written = String::new();
    let mut at = 0;
    for run in runs(text) {
        if let Some(found) = corrections.iter().find(|correction| correction.typed == run.text) {
            written.push_str(&text[at..run.start]);
            written.push_str(&found.meant);
            at = run.start + run.text.len();
        }
    }
    written + &text[at..]
}

/// A message for the user that shows the corrected words.
pub(crate) fn note(corrections: &[Correction]) -> Option<String> {
    let words = |of: fn(&Correction) -> &str| {
        corrections.iter().map(|correction| format!("\"{}\"", of(correction))).collect::<Vec<_>>().join(", ")
    };
    (!corrections.is_empty()).then(|| {
        format!(
            "searched for {}: the project has no {}",
            words(|found| &found.meant),
            words(|found| &found.typed)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_one_step_away() {
        let all: Vec<String> = near("fuzy").collect();
        for word in ["fuzzy", "fuz", "fury", "fuyz", "afuzy", "fuzya", "uzy"] {
            assert!(all.iter().any(|found| found == word), "{word}");
        }
        assert!(!all.iter().any(|found| found == "pattern"));
    }

    #[test]
    fn words_are_replaced_where_they_are_whole() {
        let corrections = [Correction { typed: "Fuzy".into(), meant: "fuzzy".into() }];
        assert_eq!(corrected("Is Fuzy, Fuzyness or (Fuzy)?", &corrections), "Is fuzzy, Fuzyness or (fuzzy)?");
        assert_eq!(note(&corrections).unwrap(), "searched for \"fuzzy\": the project has no \"Fuzy\"");
        assert_eq!((corrected("Fuzy", &[]), note(&[])), ("Fuzy".into(), None));
    }
}
