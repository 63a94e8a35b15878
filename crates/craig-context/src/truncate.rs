//! Shortens code at syntax boundaries, with a note.

use craig_chunk::cut_point;
use craig_source::Language;

use crate::Block;

/// Cuts the end of a block off so that its content, the note included, has at most `max_bytes`; false when nothing of use
/// would be left, and the block is unchanged.
pub fn truncate(block: &mut Block, max_bytes: usize) -> bool {
    if block.content.len() <= max_bytes {
        return true;
    }
    let note = note(block.language());
    let Some(room) = max_bytes.checked_sub(note.len() + 1).filter(|room| *room > 0) else { return false };
    let end = cut_point(block.language().unwrap_or(Language::Text), &block.content, room);
    let kept = block.content[..end].trim_end();
    if kept.is_empty() {
        return false;
    }
    let indent: String =
        kept.lines().next_back().unwrap_or_default().chars().take_while(|c| *c == ' ').collect();
    let n_lines = kept.lines().count() as u32;
    let indent = if kept.len() + indent.len() + note.len() < max_bytes { indent.as_str() } else { "" };
    block.content = format!("{kept}\n{indent}{note}");
    block.line_end = block.line_start + n_lines.saturating_sub(1);
    block.is_truncated = true;
    true
}

/// The note at the end of truncated code: a comment of its language, or of most languages when that is unknown.
fn note(language: Option<Language>) -> String {
    language.unwrap_or(Language::C).comments().comment("... (truncated)")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::block::tests::block;

    const CODE: &str = "fn long(x: u8) -> u8 {\n    let a = one(\n        x,\n    );\n    let b = two(a);\n    three(b)\n}\n";

    #[test]
    fn code_is_cut_between_statements_and_says_so() {
        let mut long = block("a.rs", 10..=16, 1.0, CODE);
        assert!(truncate(&mut long, 90));
        assert_eq!(
            long.content,
            "fn long(x: u8) -> u8 {\n    let a = one(\n        x,\n    );\n    // ... (truncated)"
        );
        assert_eq!((long.line_start, long.line_end, long.is_truncated), (10, 13, true));

        let mut short = block("a.rs", 10..=16, 1.0, CODE);
        assert!(truncate(&mut short, CODE.len()) && !short.is_truncated);
        assert!(!truncate(&mut short, 5) && short.content == CODE);
    }

    #[test]
    fn a_thousand_characters_become_five_hundred() {
        let code: String = (0..50).map(|n| format!("statement_{n:02}();\n")).collect();
        let mut long = block("a.py", 1..=50, 1.0, &code);
        long.language = "python".into();
        assert!(truncate(&mut long, 500));
        assert!(long.content.len() <= 500 && long.content.len() > 400, "{}", long.content.len());
        assert!(long.content.ends_with("# ... (truncated)"));
    }

    proptest! {
        #[test]
        fn what_is_cut_fits(content in "[a-z{}();\n é]{0,300}", most in 0usize..300, which in 0usize..4) {
            let language = ["rust", "python", "markdown", "none"][which];
            let mut cut = block("a", 1..=1, 1.0, &content);
            cut.language = language.into();
            if truncate(&mut cut, most) {
                prop_assert!(cut.content.len() <= most);
                let kept = cut.content.rsplit_once('\n').map_or("", |(kept, _)| kept);
                prop_assert!(!cut.is_truncated || content.starts_with(kept));
            } else {
                prop_assert_eq!(cut.content, content);
            }
        }
    }
}
