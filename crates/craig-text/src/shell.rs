//! Words of commands that are shown for copying into a shell.

use std::borrow::Cow;

/// A text as one word of a POSIX shell: in double quotes unless no character means anything to the shell.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_a_shell_is_quoted() {
        for plain in ["shop", "Cart::total", "src/über/a-b_c.py:12", "@acme/money", "https://a.b/c.git"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (text, word) in [
            ("", r#""""#),
            ("my shop", r#""my shop""#),
            (r"Acme\Cart", r#""Acme\\Cart""#),
            ("$HOME; `ls`", r#""\$HOME; \`ls\`""#),
            (r#"a"b"#, r#""a\"b""#),
            ("operator<", r#""operator<""#),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }
}
