//! Exact lines: what matches, where it is, and what is counted.

use craig_engine::{Case, EngineError, GrepLine, GrepRequest, KindFilter};
use expect_test::{Expect, expect};

use crate::workshop::Workshop;

const FILES: &[(&str, &str)] = &[
    (
        "src/auth.py",
        "import jwt\n\nclass Session:\n    def verify(self, token):\n        if not token:\n            raise Denied('no token')\n        return jwt.decode(token)\n\ndef tokenize(text):\n    return text.split()\n",
    ),
    (
        "src/cart/prices.rs",
        "/// Prices of a Token.\r\npub fn price(token: &Token) -> u64 {\r\n    token.price\r\n}\r\n",
    ),
    ("README.md", "# Shop\n\n## Tokens\n\nA token is checked.\n"),
    ("config.toml", "token = 1\n"),
];

/// Path, line, column, symbol and text of each line, and what was counted.
fn check(pattern: &str, request: &GrepRequest, expected: Expect) {
    let workshop = Workshop::with_files(FILES);
    let found = workshop.engine.grep("tree", pattern, request).unwrap();
    let counts = workshop.engine.grep_counts("tree", pattern, request).unwrap();
    assert_eq!((found.total_lines, found.total_files), (counts.total_lines, counts.total_files));
    let mut text: String = found.lines.iter().map(written).collect();
    text += &format!("{} lines in {} files:", found.total_lines, found.total_files);
    counts.files.iter().for_each(|file| text += &format!(" {}:{}", file.path, file.lines));
    expected.assert_eq(&text);
}

fn written(line: &GrepLine) -> String {
    let around = |lines: &[String]| lines.iter().map(|line| format!("    | {line}\n")).collect::<String>();
    let matches: Vec<&str> = line.matches.iter().map(|range| &line.text[range.clone()]).collect();
    let symbol = line.symbol.as_deref().unwrap_or("-");
    let row = format!("{}:{}:{} {symbol} {:?} {matches:?}\n", line.path, line.line, line.column, line.text);
    around(&line.before) + &row + &around(&line.after)
}

#[test]
fn lines_come_by_path_with_their_symbols() {
    check(
        "token",
        &GrepRequest::default(),
        expect![[r#"
        README.md:5:3 Shop > Tokens "A token is checked." ["token"]
        config.toml:1:1 - "token = 1" ["token"]
        src/auth.py:4:22 Session.verify "    def verify(self, token):" ["token"]
        src/auth.py:5:16 Session.verify "        if not token:" ["token"]
        src/auth.py:6:30 Session.verify "            raise Denied('no token')" ["token"]
        src/auth.py:7:27 Session.verify "        return jwt.decode(token)" ["token"]
        src/auth.py:9:5 tokenize "def tokenize(text):" ["token"]
        src/cart/prices.rs:2:14 price "pub fn price(token: &Token) -> u64 {" ["token"]
        src/cart/prices.rs:3:5 price "    token.price" ["token"]
        9 lines in 4 files: README.md:1 config.toml:1 src/auth.py:5 src/cart/prices.rs:2"#]],
    );
}

#[test]
fn case_words_and_texts() {
    let request = GrepRequest { case: Case::Insensitive, kind: KindFilter::Docs, ..GrepRequest::default() };
    check(
        "TOKEN",
        &request,
        expect![[r###"
        README.md:3:4 Shop > Tokens "## Tokens" ["Token"]
        README.md:5:3 Shop > Tokens "A token is checked." ["token"]
        2 lines in 1 files: README.md:2"###]],
    );
    let request = GrepRequest { case: Case::Smart, languages: vec!["rust".into()], ..GrepRequest::default() };
    check(
        "Token",
        &request,
        expect![[r#"
        src/cart/prices.rs:1:17 - "/// Prices of a Token." ["Token"]
        src/cart/prices.rs:2:22 price "pub fn price(token: &Token) -> u64 {" ["Token"]
        2 lines in 1 files: src/cart/prices.rs:2"#]],
    );
    let request = GrepRequest { whole_words: true, path: Some("*.py".into()), ..GrepRequest::default() };
    check(
        "token|text",
        &request,
        expect![[r#"
        src/auth.py:4:22 Session.verify "    def verify(self, token):" ["token"]
        src/auth.py:5:16 Session.verify "        if not token:" ["token"]
        src/auth.py:6:30 Session.verify "            raise Denied('no token')" ["token"]
        src/auth.py:7:27 Session.verify "        return jwt.decode(token)" ["token"]
        src/auth.py:9:14 tokenize "def tokenize(text):" ["text"]
        src/auth.py:10:12 tokenize "    return text.split()" ["text"]
        6 lines in 1 files: src/auth.py:6"#]],
    );
    let request = GrepRequest { literal: true, ..GrepRequest::default() };
    check(
        "decode(token)",
        &request,
        expect![[r#"
        src/auth.py:7:20 Session.verify "        return jwt.decode(token)" ["decode(token)"]
        1 lines in 1 files: src/auth.py:1"#]],
    );
}

#[test]
fn lines_around_are_shown_once() {
    let request = GrepRequest { before: 1, after: 2, path: Some("src".into()), ..GrepRequest::default() };
    check(
        "not token|decode|price\\(",
        &request,
        expect![[r#"
            |     def verify(self, token):
        src/auth.py:5:12 Session.verify "        if not token:" ["not token"]
            |             raise Denied('no token')
        src/auth.py:7:20 Session.verify "        return jwt.decode(token)" ["decode"]
            | 
            | def tokenize(text):
            | /// Prices of a Token.
        src/cart/prices.rs:2:8 price "pub fn price(token: &Token) -> u64 {" ["price("]
            |     token.price
            | }
        3 lines in 2 files: src/auth.py:2 src/cart/prices.rs:1"#]],
    );
}

#[test]
fn what_the_limit_leaves_out_is_counted() {
    let request = GrepRequest { limit: 2, ..GrepRequest::default() };
    check(
        "token",
        &request,
        expect![[r#"
        README.md:5:3 Shop > Tokens "A token is checked." ["token"]
        config.toml:1:1 - "token = 1" ["token"]
        9 lines in 4 files: README.md:1 config.toml:1"#]],
    );
    check("nowhere", &request, expect!["0 lines in 0 files:"]);
}

#[test]
fn secrets_are_masked_and_removed_files_are_gone() {
    let workshop = Workshop::with_files(FILES);
    workshop.write("src/keys.py", "password = \"kT9x-Qw72_mZ4pLs8vB1\"\n");
    workshop.remove("README.md");
    workshop.delta();
    let lines = |pattern: &str| {
        let found = workshop.engine.grep("tree", pattern, &GrepRequest::default()).unwrap();
        found.lines.iter().map(written).collect::<String>()
    };
    assert_eq!(lines("kT9x"), "");
    expect![[r#"
        src/keys.py:1:1 password "password = \"********************\"" ["password"]
    "#]]
    .assert_eq(&lines("password"));
    assert_eq!(lines("A token is checked"), "");
}

#[test]
fn a_damaged_text_is_counted_and_never_shown() {
    let mut workshop = Workshop::with_files(FILES);
    workshop.damage_database(b"raise Denied", b"raise denied");
    let error = workshop.engine.grep("tree", "denied", &GrepRequest::default()).unwrap_err();
    assert!(error.to_string().contains("src/auth.py"), "{error}");
    assert_eq!(workshop.engine.grep("tree", "price", &GrepRequest::default()).unwrap().total_lines, 2);
}

#[test]
fn requests_that_cannot_be_answered_are_refused() {
    let workshop = Workshop::with_files(FILES);
    let refused = |pattern: &str, request: &GrepRequest| {
        let error = workshop.engine.grep("tree", pattern, request).unwrap_err();
        format!("{error}\n{}", error.hint().unwrap_or_default())
    };
    expect![[r#"
        cannot search for the pattern "fo <-- HERE (o": unclosed group
        '--fixed-strings' searches for exactly this text; in a regular expression, \( is a parenthesis"#]]
    .assert_eq(&refused("fo(o", &GrepRequest::default()));
    let pythn = GrepRequest { languages: vec!["pythn".into()], ..GrepRequest::default() };
    expect![[r#"
        no language "pythn"
        did you mean python?"#]]
    .assert_eq(&refused("a", &pythn));
    let request = GrepRequest::default();
    request.cancellation.cancel();
    assert!(matches!(workshop.engine.grep("tree", "a", &request), Err(EngineError::Cancelled)));
}

#[test]
fn every_line_is_found_in_many_files() {
    let workshop = Workshop::new();
    for n in 0..300 {
        workshop.write(&format!("src/file_{n:03}.txt"), "needle\nhay\n".repeat(n % 7 + 1));
    }
    workshop.write("src/long.txt", "x".repeat(15_000) + " needle\n");
    workshop.ingest();
    let request = GrepRequest { limit: usize::MAX, ..GrepRequest::default() };
    let found = workshop.engine.grep("tree", "needle", &request).unwrap();
    let expected: usize = (0..300).map(|n| n % 7 + 1).sum::<usize>() + 1;
    assert_eq!((found.lines.len(), found.total_lines as usize, found.total_files), (expected, expected, 301));
    assert!(found.lines.is_sorted_by_key(|line| (line.path.clone(), line.line)));
    let long = found.lines.last().unwrap();
    assert_eq!((long.text.chars().count(), long.column), (request.line_chars + 1, 15_002));
}

#[test]
fn an_index_leaves_no_line_out() {
    let workshop = Workshop::with_files(FILES);
    workshop.write("src/signs.py", "TA\u{17f}\u{212a} = 'ta\u{17f}k'\nCAF\u{c9} = Session\n");
    workshop.write("src/other.rs", "fn get_value() {}\nfn setValue() {}\nnew new Thread();\n");
    (0..40).for_each(|n| {
        workshop.write(&format!("src/more_{n}.txt"), format!("line {n} of a file\n").repeat(n))
    });
    workshop.ingest();
    let patterns = [
        "token",
        "Token",
        "(?i)TOKEN",
        "(?i)task",
        "(?i)caf\u{e9}",
        "(get|set)_?value",
        "(?i)(get|set)_?value",
        "(new )+Thread",
        "^fn",
        r"\bnot\b",
        "raise .*token'",
        "[Tt]oken",
        "(raise|return) (Denied|jwt)",
        "(?:decode|split)\\(",
        "x|",
        "line 3.",
        "e?y?",
        "(?i)k",
        "tok(?:en)?ize",
        "price$",
        "nothing like this",
        "(absent|missing)",
    ];
    let lines = || {
        let engine = workshop.another_engine();
        patterns.map(|pattern| engine.grep("tree", pattern, &GrepRequest::default()).unwrap().lines)
    };
    let with_index = lines();
    std::fs::remove_dir_all(workshop.index_folder()).unwrap();
    assert_eq!(with_index, lines());
    assert!(with_index.iter().filter(|lines| !lines.is_empty()).count() >= 20);
}
