//! Stems of English words, as names in code and questions about them use them.

use crate::words::{lower_words, runs, words_of_run};

/// The stems of the words of a text, in lower case and in order; of a script without spaces, its characters and pairs.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    // Nearly all names are ASCII: they are split one by one.
    let (ascii, other) = if text.is_ascii() { (text, "") } else { ("", text) };
    let of_ascii = lower_words(ascii).map(|mut word| {
        word.truncate(stem(&word).len());
        word
    });
    let of_other = runs(other).flat_map(|run| {
        let mut found = Vec::new();
        words_of_run(run.text, &mut |word| found.push(stem(word).to_owned()));
        found
    });
    of_ascii.chain(of_other)
}

/// A word, in lower case, without its plural ending. Cautious, as the index is made of these: words that differ after it stay
/// apart.
pub fn stem(word: &str) -> &str {
    if ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word;
    }
    let cut = |n_bytes: usize| word.get(..word.len().saturating_sub(n_bytes)).filter(|stem| stem.len() >= 3);
    let n_bytes = match word {
        _ if word.ends_with("ies") => 3,
        _ if ["ches", "shes", "sses", "xes"].iter().any(|ending| word.ends_with(ending)) => 2,
        // As of its plural: `query`, `queries`.
        _ if word.ends_with(['s', 'y']) => 1,
        _ => 0,
    };
    cut(n_bytes).unwrap_or(word)
}

/// A word, in lower case, without the endings that most often differ where it is a name in code and a word of a heading: `retry`
/// of "Retrying", `pip` of `pipe` and "Piping".
///
/// Documentation has few headings, and each counts: here more words may fall together than in an index of all texts.
pub fn root(word: &str) -> &str {
    let cut = |endings: &[&str], word: &str| -> usize {
        let ending = endings.iter().find(|ending| word.len() >= ending.len() + 3 && word.ends_with(**ending));
        word.len() - ending.map_or(0, |ending| ending.len())
    };
    let plural = &word[..cut(&["s"], word)];
    let base = &plural[..cut(&["ing", "ed"], plural)];
    &base[..cut(&["e", "y", "i"], base)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_take_plurals_together_and_leave_other_words_apart() {
        let found: Vec<_> =
            stems("getQueries query class classes switches box status users_is parsing").collect();
        assert_eq!(
            found,
            ["get", "quer", "quer", "class", "class", "switch", "box", "status", "user", "is", "parsing"]
        );
        assert!(stems("会话 größe").eq(["会", "会话", "话", "groesse", "grosse"]));
    }

    #[test]
    fn roots_take_forms_of_verbs_together() {
        let found = ["retry", "retrying", "pipe", "piping", "attached", "set"].map(root);
        assert_eq!(found, ["retr", "retr", "pip", "pip", "attach", "set"]);
    }
}
