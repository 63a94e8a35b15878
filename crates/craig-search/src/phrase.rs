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

    pub(crate) fn n_words(&self) -> usize {
        self.words.len()
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

impl Phrase {
    /// Words of the longest literal of a line of `text` whose words all occur in the message, in their order; whatever is put
    /// into its placeholders may be between them.
    pub(crate) fn literal(&self, text: &str) -> usize {
        text.lines()
            .flat_map(literals)
            .map(|literal| self.words_of(&without_placeholders(literal)))
            .max()
            .unwrap_or(0)
    }

    /// Number of words of a literal, if all of them occur in the message, in their order; else 0.
    fn words_of(&self, literal: &str) -> usize {
        let (mut n_words, mut from, mut is_in) = (0, 0, true);
        terms(literal, |term| {
            n_words += 1;
            match self.words[from..].iter().position(|word| word == term).filter(|_| is_in) {
                Some(at) => from += at + 1,
                None => is_in = false,
            }
        });
        if is_in { n_words } else { 0 }
    }
}

/// The texts between quotes of a line; of a line without them, what follows its first `=` or `:`.
fn literals(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let quote = &rest[start..=start];
        let inside = &rest[start + 1..];
        let Some(end) = inside.find(quote) else { break };
        found.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    // As files of messages have them: `not_found = There is no {0}`.
    if found.is_empty() { vec![line.split_once(['=', ':']).map_or(line, |(_, value)| value)] } else { found }
}

/// A literal without `%s`, `{}`, `${name}`, `#{name}` and `\(name)`.
fn without_placeholders(literal: &str) -> String {
    let mut kept = String::new();
    let mut rest = literal;
    while let Some(start) = rest.find(['%', '{', '\\']) {
        kept.push_str(rest[..start].trim_end_matches(['$', '#']));
        kept.push(' ');
        let placeholder = &rest[start..];
        let n_bytes = match placeholder.as_bytes() {
            [b'{', ..] | [b'%' | b'\\', b'(' | b'{', ..] => {
                placeholder.find(['}', ')']).map_or(1, |end| end + 1)
            }
            [b'%', ..] => placeholder.find(|c: char| c.is_ascii_alphabetic()).map_or(1, |end| end + 1),
            // An escape, such as `\n`.
            _ => 1 + placeholder[1..].chars().next().map_or(0, char::len_utf8),
        };
        rest = &placeholder[n_bytes..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_whatever_their_placeholders_hold() {
        let phrase = Phrase::new("Error: cannot open file '/etc/app.toml' for reading (errno 13)");
        for line in [
            r#"bail!("cannot open file {} for reading", path)"#,
            r#"log("cannot open file %-10s for reading\n", path);"#,
            "throw new Error(`cannot open file '${path}' for reading`)",
            r#"raise f"cannot open file {path!r} for reading""#,
            r#"fatalError("cannot open file \(path) for reading")"#,
            "message.open = cannot open file {0} for reading",
        ] {
            assert!(phrase.literal(&format!("a()\n{line}\nb()")) >= 3, "{line}: {}", phrase.literal(line));
        }
        assert_eq!(phrase.literal(r#"bail!("cannot write file {} for reading", path)"#), 0);
        assert_eq!(phrase.literal("x = \"%"), 0);
    }

    #[test]
    fn runs_are_the_longest_in_both() {
        let phrase = Phrase::new("ERROR: Invalid slug: 2-primary button");
        assert_eq!(phrase.longest_run("warn(`Invalid slug: ${slug}`)"), 2);
        assert_eq!(phrase.longest_run("slug invalid"), 1);
        assert_eq!(phrase.longest_run("other words"), 0);
        assert!(may_be_pasted("a: b") && !may_be_pasted("how is it done?"));
    }
}
