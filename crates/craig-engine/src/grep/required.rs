//! What a text has to contain to match a pattern, so that other texts need not be read.

use craig_search::{OTHER_FORMS, Required};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

/// What every match of an expression contains.
pub(super) fn required(hir: &Hir) -> Required {
    match hir.kind() {
        HirKind::Concat(parts) => of_sequence(parts),
        HirKind::Alternation(parts) => Required::Any(parts.iter().map(required).collect()),
        HirKind::Capture(group) => required(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => required(&repeated.sub),
        _ => fixed(hir).map_or(Required::NOTHING, Required::Text),
    }
}

/// What a sequence contains; neighbouring parts with a fixed text become one text.
fn of_sequence(parts: &[Hir]) -> Required {
    let (mut all, mut text) = (Vec::new(), Vec::new());
    for part in parts {
        match fixed(part) {
            Some(more) => text.extend(more),
            None => all.extend([Required::Text(std::mem::take(&mut text)), required(part)]),
        }
    }
    all.push(Required::Text(text));
    Required::All(all)
}

/// The text that all matches of an expression are, ignoring the case of ASCII letters, if it is one text.
fn fixed(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Vec::new()),
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Class(Class::Unicode(class)) => Some(vec![one_letter(class)?]),
        _ => None,
    }
}

/// The letter of which a class has all the forms that equal it when case is ignored, and nothing else.
fn one_letter(class: &ClassUnicode) -> Option<u8> {
    let mut characters = class.ranges().iter().flat_map(|range| range.start()..=range.end());
    let letter = characters.next()?.to_ascii_lowercase();
    let is_form = |c: char| c.to_ascii_lowercase() == letter || OTHER_FORMS.contains(&(letter, c));
    (letter.is_ascii() && characters.all(is_form)).then_some(letter as u8)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(pattern: &str, expected: Expect) {
        let hir = regex_syntax::parse(pattern).unwrap();
        expected.assert_eq(&shown(&required(&hir)));
    }

    fn shown(required: &Required) -> String {
        let each =
            |parts: &[Required]| parts.iter().map(shown).filter(|part| part != "\"\"").collect::<Vec<_>>();
        match required {
            Required::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
            Required::All(parts) => format!("all({})", each(parts).join(" ")),
            Required::Any(parts) => format!("any({})", each(parts).join(" ")),
        }
    }

    #[test]
    fn what_is_in_every_match_is_required() {
        check("TopicPartition", expect![[r#""TopicPartition""#]]);
        check(r"class \w+Exception", expect![[r#"all("class " all() "Exception")"#]]);
        check(r"^import java\.util\.", expect![[r#"all("import java.util.")"#]]);
        check(r"\bfn\b", expect![[r#"all("fn")"#]]);
        check(r"(get|set)Value", expect![[r#"all(any("get" "set") "Value")"#]]);
        check(r"(new )+Thread(Pool)?", expect![[r#"all("new " "Thread" all())"#]]);
        check(r"[0-9]{4,}L", expect![[r#"all(all() "L")"#]]);
        check(r"x*", expect!["all()"]);
    }

    #[test]
    fn case_is_ignored() {
        check("(?i)Task_k", expect![[r#"all("task_k")"#]]);
        check("(?i)caf\u{e9}s", expect![[r#"all("caf" all() "s")"#]]);
        check("ba[rz]", expect![[r#"all("ba" all())"#]]);
    }
}
