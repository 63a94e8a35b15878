//! Escapes text from repositories so that it cannot control the terminal, hide text, or fake other output.

use std::borrow::Cow;

/// A name or a message on one line; control characters and invisible ones are shown as `\u{1b}`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_invisible)
}

/// The same for lines of text: tabs and line ends are kept.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    match lines_end_like_windows(text) {
        true => Cow::Owned(escaped(&text.replace("\r\n", "\n"), is_invisible_in_lines).into_owned()),
        false => escaped(text, is_invisible_in_lines),
    }
}

/// Equivalent JSON that is safe to print: invisible characters become escape sequences of JSON.
pub(crate) fn json(line: &str) -> Cow<'_, str> {
    replaced(line, is_invisible, |c, text| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            *text += &format!("\\u{unit:04x}");
        }
    })
}

fn lines_end_like_windows(text: &str) -> bool {
    text.contains("\r\n")
}

fn escaped(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, is_hidden, |c, text| match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c => text.extend(c.escape_unicode()),
    })
}

fn replaced(text: &str, is_hidden: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.chars().any(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) { write(c, &mut shown) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

fn is_invisible_in_lines(c: char) -> bool {
    !matches!(c, '\n' | '\t') && is_invisible(c)
}

/// Control characters (C0, DEL, C1), line separators, and characters that reorder, hide or fake text: Unicode category Cf,
/// except the joiners of Persian, Hindi and emoji.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{13430}'..='\u{1345f}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\x1b]0;t\x07\r\nb\t\u{9b}2J\u{202e}\u{2066}\u{e0041}ü👩\u{200d}🔬";

    #[test]
    fn what_steers_or_hides_is_shown_by_its_number() {
        let all = [one_line(HOSTILE), lines(HOSTILE), json(HOSTILE)].join("\n--\n");
        expect_test::expect![[r#"
            a\u{1b}]0;t\u{7}\r\nb\t\u{9b}2J\u{202e}\u{2066}\u{e0041}ü👩‍🔬
            --
            a\u{1b}]0;t\u{7}
            b	\u{9b}2J\u{202e}\u{2066}\u{e0041}ü👩‍🔬
            --
            a\u001b]0;t\u0007\u000d\u000ab\u0009\u009b2J\u202e\u2066\udb40\udc41ü👩‍🔬
        "#]]
        .assert_eq(&(all + "\n"));
    }

    #[test]
    fn what_can_be_seen_is_left_alone() {
        let text = "src/größe – 名前.rs 👍🏽";
        assert!(matches!(one_line(text), Cow::Borrowed(_)) && matches!(lines(text), Cow::Borrowed(_)));
    }
}
