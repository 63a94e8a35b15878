//! Splits code and prose into words: identifiers first, then the parts of each.

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

/// The identifiers of a text in order, with their byte offsets: runs of letters, digits, `_` and `$` of any script that
/// do not start with a digit, and runs of digits.
pub fn identifiers(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|&(_, c)| !is_identifier_char(c)).is_some() {}
        let &(start, _) = rest.peek()?;
        let mut end = start;
        while let Some((at, c)) = rest.next_if(|&(_, c)| is_identifier_char(c)) {
            end = at + c.len_utf8();
        }
        Some(Word { text: &text[start..end], start })
    })
}

fn is_identifier_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || (!c.is_ascii() && c.is_alphanumeric())
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

/// Makes `out` what [`compact`] returns.
pub fn compact_into(identifier: &str, out: &mut String) {
    out.clear();
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
        let found: Vec<_> = identifiers("größe = $el.user_name2 + 日本語(3)").map(|w| w.text).collect();
        assert_eq!(found, ["größe", "$el", "user_name2", "日本語", "3"]);
    }
}
