//! Any text of any language is partitioned: random text, mutated code, deep nesting.

use std::fs;
use std::sync::LazyLock;

use craig_chunk::{Outline, Packed, chunk};
use craig_source::Language;
use proptest::prelude::*;

/// Names of the fixtures: one for every language with a way of its own to be cut.
static FIXTURES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures")).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
});

fn fixture(name: &str) -> (Language, String) {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("fixture is readable");
    (Language::from_path(name).expect("fixture has a known extension"), text)
}

/// Panics unless packing loses nothing, and what is cut off is refused.
fn check_packed(outline: &Outline) {
    let packed = Packed::new(&outline.references, outline.names.clone());
    assert_eq!(packed.references().as_ref(), Some(&outline.references));
    assert_eq!(packed.names(), Some((outline.references.clone(), outline.names.clone())));
    let cut = Packed { names: packed.names[..packed.names.len() - 1].to_vec(), ..packed };
    assert!(cut.names.is_empty() || cut.names().is_none());
}

/// Panics unless the chunks of `text` partition it and all lines are right.
fn check(language: Language, text: &str) -> Outline {
    let outline = chunk(language, text);
    let n_lines = u32::try_from(text.split('\n').count()).expect("few lines");
    let mut at = 0;
    for chunk in &outline.chunks {
        assert_eq!(chunk.bytes.start, at, "{language:?}: gap or overlap");
        assert!(chunk.bytes.end > at, "{language:?}: empty chunk");
        assert!(chunk.overlap_bytes <= at);
        assert!(!chunk.text(text).is_empty());
        let first_line = 1 + text[..at].matches('\n').count();
        assert_eq!(chunk.line_start as usize, first_line);
        assert!(chunk.line_start <= chunk.line_end && chunk.line_end <= n_lines);
        at = chunk.bytes.end;
    }
    assert_eq!(at, text.len(), "{language:?}: the end is missing");
    check_packed(&outline);
    for symbol in &outline.symbols {
        assert!(
            1 <= symbol.line && symbol.line <= symbol.line_end && symbol.line_end <= n_lines,
            "{symbol:?}"
        );
    }
    assert!(outline.symbols.is_sorted_by_key(|symbol| symbol.line));
    outline
}

/// A cut or an insertion at a share of the text.
#[derive(Clone, Debug)]
enum Edit {
    Cut(f64, usize),
    Insert(f64, String),
    Repeat(f64, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0.0..1.0, 1..80_usize).prop_map(|(at, bytes)| Edit::Cut(at, bytes)),
        (0.0..1.0, "\\PC{0,8}|[{}()\\[\\]\"'`<>#/*;:\n]{1,4}|\n{1,3} +|é€𝄞")
            .prop_map(|(at, text)| Edit::Insert(at, text)),
        (0.0..1.0, 1..400_usize).prop_map(|(at, times)| Edit::Repeat(at, times)),
    ]
}

fn apply(text: &mut String, edit: &Edit) {
    let place = |share: f64| text.floor_char_boundary((text.len() as f64 * share) as usize);
    match edit {
        Edit::Cut(at, bytes) => {
            let start = place(*at);
            let end = text.ceil_char_boundary((start + bytes).min(text.len()));
            text.replace_range(start..end, "");
        }
        Edit::Insert(at, added) => text.insert_str(place(*at), added),
        Edit::Repeat(at, times) => {
            let start = place(*at);
            let end = text.ceil_char_boundary((start + 12).min(text.len()));
            let again = text[start..end].repeat(*times);
            text.insert_str(start, &again);
        }
    }
}

/// The scanner of Bash looks characters behind a brace up in a table of bytes.
#[test]
fn a_brace_of_bash_may_hold_any_character() {
    for wide in ["\u{100}", "\u{3042}", "\u{1f980}", "\u{10ffff}"] {
        let text = format!("for i in {{{wide}..3}}; do echo {{1..{wide}}}; done\n{wide}() {{ echo; }}\n");
        check(Language::Bash, &text);
        let names: Vec<String> =
            chunk(Language::Bash, &text).symbols.into_iter().map(|symbol| symbol.name).collect();
        assert_eq!(names, [wide]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_partitioned(text in "(\\PC|[ \t\r\n{}()#=\"'-]){0,300}") {
        for name in FIXTURES.iter() {
            check(Language::from_path(name).expect("known"), &text);
        }
        check(Language::Text, &text);
    }

    #[test]
    fn mutated_code_is_partitioned(edits in prop::collection::vec(edit(), 1..8)) {
        for name in FIXTURES.iter() {
            let (language, mut text) = fixture(name);
            edits.iter().for_each(|edit| apply(&mut text, edit));
            check(language, &text);
        }
    }
}

#[test]
fn deep_nesting_does_not_overflow() {
    const DEPTH: usize = 100_000;
    let (json, js, c) = (Language::Json, Language::JavaScript, Language::C);
    for (language, open, close) in
        [(json, "[", "]"), (js, "(", ")"), (js, "{", "}"), (c, "(", ")"), (c, "{", "}")]
    {
        check(language, &format!("{}{}", open.repeat(DEPTH), close.repeat(DEPTH)));
        check(language, &open.repeat(DEPTH));
    }
    check(Language::Go, &format!("package a\n\nvar a = T{}{}", "{".repeat(DEPTH), "}".repeat(DEPTH)));
    check(Language::Go, &format!("package a\n\nfunc (a {}T) f() {{}}", "*".repeat(DEPTH)));
    check(Language::Python, &format!("a = {}", "(".repeat(DEPTH / 1_000)));
    check(Language::Markdown, &format!("{} # quoted", ">".repeat(DEPTH)));
    check(Language::Html, &"<div>".repeat(DEPTH));
    check(Language::Yaml, &"- ".repeat(DEPTH));
    check(Language::Haskell, &format!("f = {}", "do (".repeat(DEPTH / 10)));
}

/// Indentations that fill the buffer of a scanner to its end.
#[test]
fn deep_indentation_does_not_overflow() {
    let staircase = |head: &str, depth: usize| {
        (0..depth).fold(String::new(), |text, n| format!("{text}{}{head}\n", " ".repeat(n)))
    };
    for depth in [90, 250, 400, 520] {
        check(Language::Yaml, &staircase("a:", depth));
        check(Language::Yaml, &staircase("- a:", depth));
        check(Language::Python, &staircase("if x:", depth));
        check(Language::Python, &staircase("if f\"{x", depth));
        check(Language::Haskell, &staircase("do", depth));
        check(Language::Scala, &staircase("if x then", depth));
    }
}

/// All languages, shallower: a grammar's own scanner may keep a stack too.
#[test]
fn nesting_is_total_in_every_language() {
    for name in FIXTURES.iter() {
        let language = Language::from_path(name).expect("known");
        for open in ["(", "[", "{", "<a>", "if x { ", "\"${", "def f\n ", "begin "] {
            check(language, &open.repeat(3_000));
        }
    }
}

#[test]
fn giant_lines_are_cut_between_characters() {
    let languages = [Language::Text, Language::JavaScript, Language::Json, Language::Markdown, Language::Sql];
    for language in languages {
        let outline = check(language, &"€".repeat(20_000));
        assert!(outline.chunks.iter().all(|chunk| chunk.bytes.len() <= 3_600), "{language:?}");
    }
}

#[test]
fn empty_and_blank_texts() {
    for name in FIXTURES.iter() {
        let language = Language::from_path(name).expect("known");
        assert!(check(language, "").chunks.is_empty());
        assert_eq!(check(language, " \n\n").chunks.len(), 1, "{name}");
        assert_eq!(check(language, "\r\n\u{feff}").chunks.len(), 1, "{name}");
    }
}
