//! The short note in an assistant's own instructions on when to use Craig.

const BEGIN: &str = "<!-- craig:begin -->";
const END: &str = "<!-- craig:end -->";

const NOTE: &str = include_str!("note.md");

/// Front matter of instructions that are in a file of their own.
const FOR_ALL_FILES: &str = "---\ndescription: When to ask Craig\napplyTo: \"**\"\n---\n\n";

/// Instructions with the note appended, or with the existing one updated.
pub(super) fn with_note(text: &str) -> String {
    let note = format!("{BEGIN}\n{NOTE}{END}\n");
    match split(text) {
        Some((before, after)) => format!("{before}{note}{after}"),
        None if text.trim().is_empty() => format!("{text}{note}"),
        None if text.ends_with("\n\n") => format!("{text}{note}"),
        None if text.ends_with('\n') => format!("{text}\n{note}"),
        None => format!("{text}\n\n{note}"),
    }
}

/// The note as a file of its own.
pub(super) fn own_file() -> String {
    format!("{FOR_ALL_FILES}{NOTE}")
}

/// Instructions without the note.
pub(super) fn without_note(text: &str) -> String {
    split(text).map_or_else(|| text.to_owned(), |(before, after)| format!("{before}{after}"))
}

/// The text before and after the note.
fn split(text: &str) -> Option<(&str, &str)> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let after = &text[end..];
    Some((&text[..start], after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_comes_once_and_goes() {
        for text in ["", "# Mine\n", "# Mine", "# Mine\n\n"] {
            let once = with_note(text);
            assert_eq!(with_note(&once), once);
            assert_eq!(without_note(&once).trim_end(), text.trim_end());
        }
        let around = with_note("a\n").replace("explore", "old") + "b\n";
        assert_eq!(with_note(&around), with_note("a\n") + "b\n");
        assert_eq!(without_note("x <!-- craig:begin --> y"), "x <!-- craig:begin --> y");
    }
}
