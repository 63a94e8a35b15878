//! Words and identifiers of code and prose.

/// A part of an identifier, as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// The part as written, without change of case.
    pub text: &'t str,
    /// Byte offset in the text.
    pub start: usize,
}

/// The words of a text in order: runs of ASCII letters and digits, split at changes of case and between letters and digits.
///
/// `parseHTTPResponse2` gives `parse`, `HTTP`, `Response`, `2`. Anything else separates. This is the tokenisation that
/// the built-in embedding is trained with: changing it means training again.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        at += word_len(&bytes[start..]);
        (at > start).then(|| Word { text: &text[start..at], start })
    })
}

/// The words of a text in lower case, in order.
pub fn lower_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| word.text.to_ascii_lowercase())
}

/// The identifiers of a text in order: runs of letters and digits of any script, `_` and `$`. Numbers are among them.
pub fn identifiers(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = end_of_run(text, at, false);
        at = end_of_run(text, start, true);
        (at > start).then(|| Word { text: &text[start..at], start })
    })
}

/// Whether a character may stand in an identifier.
pub fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The end of the run of identifier characters (`inside`), or of other characters, that begins at `at`.
fn end_of_run(text: &str, mut at: usize, inside: bool) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let is_other = |is_part: bool| is_part != inside;
        if byte.is_ascii() {
            if is_other(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')) {
                return at;
            }
            at += 1;
        } else {
            let Some(c) = text[at..].chars().next().filter(|c| !is_other(c.is_alphanumeric())) else {
                return at;
            };
            at += c.len_utf8();
        }
    }
    at
}

/// The offsets of `word` in `text` where no letter, digit or `_` is adjacent to its own. `$` does not count as a part of a
/// word here: in PHP, Perl and shells it stands before the names of variables.
pub fn whole_words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let (starts, ends) = (word.starts_with(is_letter), word.ends_with(is_letter));
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_joined = starts && before.ends_with(is_letter) || ends && after.starts_with(is_letter);
        !is_joined && !word.is_empty()
    })
}

/// Whether one of two words begins with the other, and the shorter has at least `min_bytes`: `auth` and `authentication`.
pub fn is_prefix_of_other(a: &str, b: &str, min_bytes: usize) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.len() >= min_bytes && long.starts_with(short)
}

/// Length of the word that starts at `bytes[0]`; 0 when none does.
///
/// First match of `[A-Z]+(?=[A-Z][a-z]) | [A-Z]?[a-z]+ | [A-Z]+ | [0-9]+`.
fn word_len(bytes: &[u8]) -> usize {
    let run = |from: usize, class: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| class(b)).count();
    let Some(first) = bytes.first() else { return 0 };
    if first.is_ascii_digit() {
        return run(0, u8::is_ascii_digit);
    }
    let upper = run(0, u8::is_ascii_uppercase);
    let lower = run(upper, u8::is_ascii_lowercase);
    match (upper, lower) {
        (_, 0) => upper,
        (0 | 1, _) => upper + lower,
        _ => upper - 1,
    }
}

/// An identifier without case and separators: `getUser`, `get_user` and `GET-USER` are one.
pub fn compact(identifier: &str) -> String {
    let mut out = String::with_capacity(identifier.len());
    compact_into(identifier, &mut out);
    out
}

/// Writes what [`compact`] returns to `out`.
pub fn compact_into(identifier: &str, out: &mut String) {
    out.clear();
    if identifier.is_ascii() {
        out.push_str(identifier);
        out.retain(|c| c.is_ascii_alphanumeric());
        return out.make_ascii_lowercase();
    }
    out.extend(identifier.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> String {
        words(text).map(|w| w.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn splits_identifiers_at_case_and_digits() {
        assert_eq!(split("parseHTTPResponse"), "parse HTTP Response");
        assert_eq!(split("SELECT * FROM users_v2"), "SELECT FROM users v 2");
        assert_eq!(split("XMLHttpRequest2x ABc é"), "XML Http Request 2 x A Bc");
        assert_eq!(split("  "), "");
    }

    #[test]
    fn spelling_of_an_identifier_does_not_matter() {
        assert_eq!(compact("getUser"), compact("get_user"));
        assert_eq!(compact("GET-USER"), "getuser");
    }

    #[test]
    fn identifiers_keep_every_script() {
        let found = |text| identifiers(text).map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(
            found("größe = $el.user_name2 + 日本語(3)"),
            ["größe", "$el", "user_name2", "日本語", "3"]
        );
        assert_eq!(found("a—b “c” ☃d é"), ["a", "b", "c", "d", "é"]);
        assert!(found(" +-☃").is_empty());
        for word in identifiers("größe = $el") {
            assert!("größe = $el"[word.start..].starts_with(word.text));
        }
    }

    #[test]
    fn words_are_whole_where_no_letter_is_next_to_them() {
        let places = |text: &'static str, word: &'static str| whole_words(text, word).collect::<Vec<_>>();
        assert_eq!(places("abort abortAll _abort (abort)", "abort"), [0, 23]);
        assert_eq!(places("$user = user_id", "user"), [1]);
        assert_eq!(places("a->b a->bc", "->b"), [1]);
        assert!(places("500", "50").is_empty());
    }
}
