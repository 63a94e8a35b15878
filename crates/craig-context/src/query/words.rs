//! Words of a message: their positions, and which are names of code.

use std::ops::Range;

use craig_text::{is_identifier_char, is_mark, is_unspaced};

/// A word of a message with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// As written, without quotes and punctuation around it.
    pub(super) text: &'t str,
    /// Lower-cased.
    pub(super) lower: String,
    /// Its bytes in the message.
    pub(super) bytes: Range<usize>,
    /// A clause ends after it: `,` `.` `;` `:` `!` `?` or a bracket follows.
    pub(super) ends_clause: bool,
    /// Written between backticks, or called: `name()`.
    pub(super) is_marked: bool,
    /// Behind an apostrophe: the `s` of `user's`.
    pub(super) is_possessive: bool,
}

impl Token<'_> {
    /// Written as names of code are, not as words of a language.
    pub(super) fn is_name(&self) -> bool {
        self.is_marked || is_code_name(self.text)
    }
}

/// The words of `text`, in order. Names may hold `_`, `.`, `::`, `#`, `->`, `/` and `-` between letters.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(is_identifier_char) {
        let start = at + offset;
        let end = end_of_word(text, start);
        found.push(token(text, start..end));
        at = end;
    }
    found
}

fn token(text: &str, bytes: Range<usize>) -> Token<'_> {
    let word = &text[bytes.clone()];
    let (before, after) = (&text[..bytes.start], &text[bytes.end..]);
    let is_called = after.starts_with("()");
    let rest = after.trim_start_matches(['`', '"', '\'', '”', '’']);
    let rest = if is_called { &after[2..] } else { rest };
    let ends_clause = rest.starts_with([',', ';', '!', '?', ')', '(', '\n', '–', '—'])
        || rest.starts_with(['.', ':']) && !rest[1..].starts_with(is_identifier_char)
        || rest.starts_with(" - ")
        || rest.starts_with(" (");
    Token {
        text: word,
        lower: word.to_lowercase().replace('’', "'"),
        ends_clause,
        is_possessive: before.ends_with(['\'', '’']),
        is_marked: is_called || before.ends_with('`') && after.starts_with('`'),
        bytes,
    }
}

fn end_of_word(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        // `调用fetchUser方法` has a name in it: without spaces, a change of script separates words.
        let is_unspaced_here = text[end..].starts_with(is_unspaced);
        let is_same = |c| is_mark(c) || is_identifier_char(c) && is_unspaced(c) == is_unspaced_here;
        end += text[end..].find(|c| !is_same(c)).unwrap_or(text.len() - end);
        let goes_on = |c| is_identifier_char(c) && is_unspaced(c) == is_unspaced_here;
        let joint = ["::", "->", ".", "#", "-", "'", "’"]
            .into_iter()
            .find(|joint| text[end..].strip_prefix(joint).is_some_and(|rest| rest.starts_with(goes_on)));
        match joint {
            // `user's` is a user.
            Some(joint @ ("'" | "’")) if !is_contracted(&text[start..end], &text[end + joint.len()..]) => {
                return end;
            }
            Some(joint) => end += joint.len(),
            None => return end,
        }
    }
}

/// Whether `word`, an apostrophe and the word that `rest` begins with are one word, such as `don't` and `it's`.
fn is_contracted(word: &str, rest: &str) -> bool {
    const BEFORE_S: &[&str] = &["it", "that", "there", "here", "what", "who", "he", "she", "let"];
    match rest.split(|c| !is_identifier_char(c)).next().unwrap_or_default() {
        "t" | "re" | "ll" | "ve" | "d" | "m" => true,
        "s" => BEFORE_S.contains(&word.to_lowercase().as_str()),
        _ => false,
    }
}

/// `fetchUser`, `fetch_user`, `HttpClient`, `a.b`, `a::b`; not `Login`, `API` or `re-run`.
pub(super) fn is_code_name(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let joined = ["_", "::", "->", "#"].iter().any(|joint| inner.contains(joint));
    let dotted =
        inner.contains('.') && !inner.split('.').all(|part| part.chars().all(|c| c.is_ascii_digit()));
    let humps =
        inner.chars().zip(inner.chars().skip(1)).filter(|(a, b)| a.is_lowercase() && b.is_uppercase());
    joined || dotted || humps.count() > 0 || inner.len() != word.len() && !inner.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places_and_names_their_joints() {
        let text = "Use `foo` like a.b::c() in auth.ts, user's größe. re-run 1.5";
        let found: Vec<_> = tokens(text).into_iter().map(|token| token.text).collect();
        assert_eq!(
            found,
            ["Use", "foo", "like", "a.b::c", "in", "auth.ts", "user", "s", "größe", "re-run", "1.5"]
        );
        for token in tokens(text) {
            assert_eq!(&text[token.bytes], token.text);
        }
    }

    #[test]
    fn names_are_words_in_text_without_spaces() {
        let found = |text| tokens(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
        assert_eq!(found("调用fetch_user方法"), ["调用", "fetch_user", "方法"]);
        assert_eq!(found("src/auth.tsはどこ"), ["src", "auth.ts", "はどこ"]);
        assert_eq!(found("u\u{308}ber"), ["u\u{308}ber"]);
    }

    #[test]
    fn contractions_are_words() {
        let found: Vec<_> = tokens("don't. It’s the user's").into_iter().map(|token| token.lower).collect();
        assert_eq!(found, ["don't", "it's", "the", "user", "s"]);
    }

    #[test]
    fn names_of_code_differ_from_words() {
        for name in ["fetchUser", "fetch_user", "HttpClient", "a.b", "a::b", "_private", "__init__"] {
            assert!(is_code_name(name), "{name}");
        }
        for word in ["Login", "API", "re-run", "1.5", "login", "_"] {
            assert!(!is_code_name(word), "{word}");
        }
    }
}
