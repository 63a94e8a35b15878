//! How much of a chunk is comment.

use craig_source::Language;

/// Lines that are nothing but comment or docstring, in percent of those that are not empty.
pub(super) fn comment_percent(language: Language, text: &str) -> u8 {
    let marks = language.comments();
    let docstring = (language == Language::Python).then_some((r#"""""#, r#"""""#));
    let mut closes: Option<&str> = None;
    let (mut n_lines, mut n_comments) = (0, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        n_lines += 1;
        let opened = [marks.block, docstring].into_iter().flatten().find(|(open, _)| line.starts_with(open));
        match (closes, opened) {
            (Some(close), _) => {
                n_comments += 1;
                closes = closes.filter(|_| !line.contains(close));
            }
            (None, Some((open, close))) => {
                n_comments += 1;
                closes = Some(close).filter(|_| !line[open.len()..].contains(close));
            }
            (None, None) => n_comments += usize::from(marks.line.is_some_and(|mark| line.starts_with(mark))),
        }
    }
    (100 * n_comments / n_lines.max(1)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_comments_are_counted() {
        let percent = comment_percent;
        assert_eq!(percent(Language::Rust, "/// Adds.\nfn add() {\n    a // b\n}\n"), 25);
        assert_eq!(percent(Language::JavaScript, "/**\n * Adds.\n */\n\nadd()\n"), 75);
        assert_eq!(
            percent(Language::Python, "def f():\n    \"\"\"Adds.\n\n    Twice.\"\"\"\n    # so\n"),
            75
        );
        assert_eq!(percent(Language::Python, "def f():\n    \"\"\"Adds.\"\"\"\n    return 1\n"), 33);
        assert_eq!(percent(Language::Rust, ""), 0);
    }
}
