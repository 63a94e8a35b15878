//! Runs of words that a text shares with a pasted message.

use crate::analysis::terms;

/// Whether a query may be pasted: it has characters that nobody types to ask something.
pub(crate) fn may_be_pasted(query: &str) -> bool {
    query.contains([':', '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', '=', '/', '\\', '\n'])
}

/// The words of a pasted message, to be looked for in texts.
pub(crate) struct Phrase {
    words: Vec<String>,
}

/// Words of a message that are looked for: the rest of a long log is not.
const MAX_WORDS: usize = 200;

impl Phrase {
    pub(crate) fn new(query: &str) -> Self {
        let mut words = Vec::new();
        terms(query, |term| {
            if words.len() < MAX_WORDS {
                words.push(term.to_owned());
            }
        });
        Self { words }
    }

    /// Number of words of the longest run that the message shares with `text`.
    pub(crate) fn longest_run(&self, text: &str) -> usize {
        let mut longest = 0;
        // For each word of the message, the length of the run that ends with it and with the last word of the text.
        let mut runs = vec![0usize; self.words.len()];
        terms(text, |term| {
            let mut before = 0;
            for (run, word) in runs.iter_mut().zip(&self.words) {
                let now = if word == term { before + 1 } else { 0 };
                before = std::mem::replace(run, now);
                longest = longest.max(now);
            }
        });
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_longest_in_both() {
        let phrase = Phrase::new("ERROR: Invalid slug: 2-primary button");
        assert_eq!(phrase.longest_run("warn(`Invalid slug: ${slug}`)"), 2);
        assert_eq!(phrase.longest_run("slug invalid"), 1);
        assert_eq!(phrase.longest_run("other words"), 0);
        assert!(may_be_pasted("a: b") && !may_be_pasted("how is it done?"));
    }
}
