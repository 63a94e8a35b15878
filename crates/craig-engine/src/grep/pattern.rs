//! The pattern: a regular expression whose matches stay within a line.

use craig_search::Required;
use craig_source::mask_secrets;
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};
use regex_syntax::{Error, ParserBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GrepRequest;
use super::required::required;
use crate::EngineError;

/// Whether capital letters matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do if the pattern has one.
    Smart,
}

/// Bytes of memory that a compiled pattern may take: more than any pattern that a person writes.
const MOST_BYTES: usize = 10 << 20;

/// Groups in groups of a pattern; printing it adds some.
const MOST_DEPTH: u32 = 250;
const MOST_PRINTED_DEPTH: u32 = 4 * MOST_DEPTH;

/// A compiled pattern.
pub(super) struct Pattern {
    regex: Regex,
    required: Required,
}

impl Pattern {
    /// Compiles `pattern` with the options of `request`.
    pub(super) fn new(pattern: &str, request: &GrepRequest) -> Result<Self, EngineError> {
        let refused = |reason: String, at: Option<usize>| EngineError::BadPattern {
            // Masking keeps the places of everything else.
            pattern: mask_secrets(pattern).into_owned(),
            reason,
            at,
        };
        if pattern.is_empty() {
            return Err(refused("it is empty and would match every line".into(), None));
        }
        let ignores_case = match request.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !has_capital(pattern, request.literal),
        };
        let expression = if request.literal { regex_syntax::escape(pattern) } else { pattern.to_owned() };
        let parsed = ParserBuilder::new()
            .nest_limit(MOST_DEPTH)
            .multi_line(true)
            .crlf(true)
            .case_insensitive(ignores_case)
            .build()
            .parse(&expression)
            .map_err(|error| match error {
                Error::Parse(error) => refused(error.kind().to_string(), Some(error.span().start.offset)),
                Error::Translate(error) => refused(error.kind().to_string(), Some(error.span().start.offset)),
                other => refused(other.to_string(), None),
            })?;
        let within_lines = within_lines(&parsed).ok_or_else(|| {
            refused("it contains a line break, but lines are searched one by one".into(), None)
        })?;
        let expression = if request.whole_words { whole_words(within_lines) } else { within_lines };
        let regex = RegexBuilder::new(&expression.to_string())
            .size_limit(MOST_BYTES)
            .nest_limit(MOST_PRINTED_DEPTH)
            .build()
            .map_err(|_| refused(format!("it takes more than {} MB of memory", MOST_BYTES >> 20), None))?;
        Ok(Self { regex, required: required(&expression) })
    }

    /// What a text has to contain to match.
    pub(super) fn required(&self) -> &Required {
        &self.required
    }

    /// Where the lines of `text` begin that match, in bytes, ascending.
    pub(super) fn lines<'t>(&self, text: &'t str) -> impl Iterator<Item = usize> + use<'_, 't> {
        let mut at = 0;
        std::iter::from_fn(move || {
            // No line begins after the last line break.
            if at >= text.len() {
                return None;
            }
            // A match stays within a line, so its end is there, too, and is found faster than its beginning.
            let end = self.regex.shortest_match_at(text, at)?;
            if end == text.len() && text.ends_with('\n') {
                at = end;
                return None;
            }
            at = text[end..].find('\n').map_or(text.len(), |length| end + length + 1);
            Some(text[..end].rfind('\n').map_or(0, |line_break| line_break + 1))
        })
    }

    /// The matches in one line, in bytes.
    pub(super) fn matches<'t>(
        &self,
        line: &'t str,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + use<'_, 't> {
        self.regex.find_iter(line).map(|found| found.range())
    }
}

/// The same expression without line breaks, where the beginning and the end of a text are those of a line, without
/// groups to capture; `None` if it asks for a line break.
///
/// One search of a whole text then does what a search of each line would do, but much faster.
fn within_lines(hir: &Hir) -> Option<Hir> {
    let all = |parts: &[Hir]| parts.iter().map(within_lines).collect::<Option<Vec<Hir>>>();
    Some(match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(Look::Start) => Hir::look(Look::StartCRLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return None,
        HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
        HirKind::Class(class) => Hir::class(without_line_break(class)?),
        HirKind::Repetition(repeated) => Hir::repetition(Repetition {
            min: repeated.min,
            max: repeated.max,
            greedy: repeated.greedy,
            sub: Box::new(within_lines(&repeated.sub)?),
        }),
        HirKind::Capture(group) => within_lines(&group.sub)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}

/// `None` if nothing else is in it.
fn without_line_break(class: &Class) -> Option<Class> {
    let mut class = class.clone();
    let is_empty = match &mut class {
        Class::Unicode(class) => {
            let had_some = !class.ranges().is_empty();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            had_some && class.ranges().is_empty()
        }
        Class::Bytes(class) => {
            let had_some = !class.ranges().is_empty();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            had_some && class.ranges().is_empty()
        }
    };
    (!is_empty).then_some(class)
}

/// The same expression between the beginning and the end of words, as `-w` of ripgrep does.
fn whole_words(hir: Hir) -> Hir {
    Hir::concat(vec![Hir::look(Look::WordStartHalfUnicode), hir, Hir::look(Look::WordEndHalfUnicode)])
}

/// Whether a pattern has a capital letter; those of `\W` and `\p{Lu}` do not count.
fn has_capital(pattern: &str, is_literal: bool) -> bool {
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        if c == '\\' && !is_literal {
            rest.next();
            if rest.as_str().starts_with('{') {
                rest.by_ref().find(|&c| c == '}');
            }
        } else if c.is_uppercase() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn compiled(pattern: &str) -> Result<Pattern, EngineError> {
        Pattern::new(pattern, &GrepRequest::default())
    }

    fn check_refused(pattern: &str, expected: Expect) {
        expected.assert_eq(&compiled(pattern).err().map_or("accepted".into(), |error| error.to_string()));
    }

    /// Line numbers of the lines that match, by looking at one line after the other.
    fn by_line(pattern: &Pattern, text: &str) -> Vec<usize> {
        let lines = text.lines().enumerate();
        lines.filter(|(_, line)| pattern.regex.is_match(line)).map(|(at, _)| at + 1).collect()
    }

    fn by_text(pattern: &Pattern, text: &str) -> Vec<usize> {
        pattern.lines(text).map(|start| text[..start].matches('\n').count() + 1).collect()
    }

    #[test]
    fn what_is_wrong_is_marked() {
        check_refused(
            "fo(o[a-z",
            expect![[r#"cannot search for the pattern "fo(o <-- HERE [a-z": unclosed character class"#]],
        );
        check_refused(
            "a**{2,1}",
            expect![[
                r#"cannot search for the pattern "a** <-- HERE {2,1}": invalid repetition count range, the start must be <= the end"#
            ]],
        );
        check_refused(
            "(?<=a)b",
            expect![[
                r#"cannot search for the pattern " <-- HERE (?<=a)b": look-around, including look-ahead and look-behind, is not supported"#
            ]],
        );
        check_refused(
            "a\\",
            expect![[
                r#"cannot search for the pattern "a <-- HERE \": incomplete escape sequence, reached end of pattern prematurely"#
            ]],
        );
        check_refused(
            r"a\nb",
            expect![[
                r#"cannot search for the pattern "a\nb": it contains a line break, but lines are searched one by one"#
            ]],
        );
        check_refused(
            "",
            expect![[r#"cannot search for the pattern "": it is empty and would match every line"#]],
        );
        check_refused(
            r"\w{1000}{1000}",
            expect![[
                r#"cannot search for the pattern "\w{1000}{1000}": it takes more than 10 MB of memory"#
            ]],
        );
        check_refused(
            &"(".repeat(300),
            expect![[
                r#"cannot search for the pattern "…((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((( <-- HERE (": unclosed group"#
            ]],
        );
        check_refused(
            &format!("{}a{}", "(?:".repeat(200), ")?".repeat(200)),
            expect![[
                r#"cannot search for the pattern "…:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?: <-- HERE (?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:…": exceed the maximum number of nested parentheses/brackets (250)"#
            ]],
        );
        check_refused(&format!("{}a{}", "(?:".repeat(100), ")?".repeat(100)), expect!["accepted"]);
    }

    #[test]
    fn matches_stay_within_a_line() {
        let text = "one\r\ntwo  \n\nfoo bar\nlast";
        let lines = |pattern: &str| by_text(&compiled(pattern).unwrap(), text);
        assert_eq!(lines(r"e$"), [1]);
        assert_eq!(lines(r"o\s+\w"), [4]);
        assert_eq!(lines("[^x]+"), [1, 2, 4, 5]);
        assert_eq!(lines("(?s)one.*last"), [0; 0]);
        assert_eq!(lines("x*"), [1, 2, 3, 4, 5]);
        assert_eq!(lines("^$"), [3]);
        assert_eq!(lines(r"\Alast\z"), [5]);
        assert_eq!(by_text(&compiled("x*").unwrap(), ""), [0; 0]);
        assert_eq!(by_text(&compiled("x*").unwrap(), "\n"), [1]);
    }

    #[test]
    fn capital_letters_of_escapes_do_not_count() {
        let has = |pattern: &str| has_capital(pattern, false);
        assert!(has("getUser") && has(r"\wA") && !has(r"\W\S\p{Lu}x") && !has("user"));
        assert!(has_capital(r"\W", true));
    }

    proptest! {
        #[test]
        fn a_text_is_searched_as_its_lines_are(
            pattern in r"(\^|\$|\\b|\\B|a|b|\.|\\s|\[\^a\]|a\*|\(b\|\.\*a\)\?|\\w\+){1,5}",
            text in "([ab \r\n]|\r\n|é){0,24}",
        ) {
            // A return that ends no line is taken for the end of a line by `^`, `$` and `.`, but begins none.
            let text = text.replace("\r\n", "\n").replace('\r', "");
            if let Ok(pattern) = compiled(&pattern) {
                prop_assert_eq!(by_text(&pattern, &text), by_line(&pattern, &text));
            }
        }
    }
}
