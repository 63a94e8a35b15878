//! Names and phrases that were replaced by the usual terms of the field, so that nobody brings them back.

use crate::code::{code_of, rust_files};
use crate::{check, workspace};

/// A name that code must not use, where, and what to say instead.
///
/// In small letters it stands for a part of an identifier: `have_come` is found in `haveCome` and `HAVE_COME_BACK`. With a
/// capital it is a whole identifier, and with a space or bracket it is literal text.
struct Name(&'static str, &'static [&'static str], &'static str);

/// Below this path means everywhere.
const ANYWHERE: &[&str] = &[""];

const REFUSED_NAMES: &[Name] = &[
    Name("scene", ANYWHERE, "FeatureExtractor, features"),
    Name("relate", ANYWHERE, "add_set_features"),
    Name("aspect", ANYWHERE, "field embedding"),
    Name("aspects", ANYWHERE, "field embeddings"),
    Name("cells", &["craig-search", "craig-train"], "IVF lists"),
    Name("looked_at", &["craig-search", "craig-train"], "probed"),
    Name("chance", &["craig-search", "craig-train"], "softmax probability"),
    Name("behind", &["craig-search", "craig-train"], "gap"),
    Name("lead", &["craig-search", "craig-train"], "margin"),
    Name("lookout", ANYWHERE, "freshness cache"),
    Name("Watched", &["craig-engine"], "project watch"),
    Name("sentinel", ANYWHERE, "change detector"),
    Name("have_come", ANYWHERE, "drain_until"),
    Name("Told", ANYWHERE, "the message's own name"),
    Name("News", ANYWHERE, "the message's own name"),
    Name("How", ANYWHERE, "IngestMode, or what it chooses between"),
    Name("take_in_changes", ANYWHERE, "ingest_changes"),
    Name("take_in", ANYWHERE, "ingest"),
    Name("rooms", ANYWHERE, "crates"),
    Name("heard", ANYWHERE, "received"),
    Name("tells", ANYWHERE, "reports, prints, returns"),
    Name("standing", ANYWHERE, "softmax probability, gap, margin; active, idle"),
    Name("standings", ANYWHERE, "softmax probability, gap, margin"),
    Name("Said", ANYWHERE, "ProviderError, Output"),
    Name("Around", ANYWHERE, "Dependencies"),
    Name("tell", ANYWHERE, "report, print, return"),
    Name("said", ANYWHERE, "response, output, message"),
    Name("told", ANYWHERE, "reported, printed, returned"),
    Name("fn of(", ANYWHERE, "from_…, new, parse"),
];

/// Where a refused name is right after all: file, name, why.
const NAME_EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A phrase that comments, errors and pages must not use, and what to say instead.
struct Phrase(&'static str, &'static str);

const REFUSED_PHRASES: &[Phrase] = &[
    Phrase("belong into", "belong in"),
    Phrase("take in", "ingest"),
    Phrase("looked at cells", "probed IVF lists"),
    Phrase("standings", "softmax probability, gap, margin"),
    Phrase("aspect vectors", "field embeddings"),
    Phrase("lookout", "freshness cache"),
    Phrase("sentinel", "change detector"),
    Phrase("by lot", "at random"),
    Phrase("of the house", "of Craig"),
    Phrase("code of others", "vendored code"),
    Phrase("belongs into", "belongs in"),
    Phrase("tells of", "describes, reports"),
    Phrase("none is made", "it is not created"),
    Phrase("who says neither", "if neither is given"),
    Phrase("handed out", "returned"),
    Phrase("hand out", "return"),
    Phrase("takes in", "ingests"),
    Phrase("are told", "are reported"),
    Phrase("tell of", "describe, report"),
    Phrase("told of", "described, reported"),
    Phrase("says something", "time to first byte, returns"),
    Phrase("hands out", "returns"),
    Phrase("is told", "is reported, is an error"),
    Phrase("rooms", "crates"),
    Phrase("who asks", "the client, the caller"),
];

/// Where a refused phrase is right after all: file, phrase, why.
const PHRASE_EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Rust identifiers as words in small letters with underscores: `HaveCome` becomes `have_come`.
fn snake_case(code: &str) -> String {
    let mut snake = String::with_capacity(code.len());
    let mut previous = ' ';
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_acronym = previous.is_uppercase() && rest.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (previous.is_lowercase() || previous.is_numeric() || ends_acronym) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        previous = c;
    }
    snake
}

/// Whether `word` stands in `text` with nothing beside it that `continues` it.
fn stands_alone(text: &str, word: &str, continues: fn(char) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(continues) && !after.is_some_and(continues)
    })
}

impl Name {
    /// Whether a line of code uses it; `snake` is the same line in small letters.
    fn is_in(&self, line: &str, snake: &str) -> bool {
        let Self(name, ..) = self;
        if name.contains([' ', '(']) {
            line.contains(name)
        } else if name.starts_with(char::is_uppercase) {
            stands_alone(line, name, |c| c.is_alphanumeric() || c == '_')
        } else {
            stands_alone(snake, name, char::is_alphanumeric)
        }
    }

    fn is_refused_at(&self, path: &str) -> bool {
        let Self(name, within, _) = self;
        within.iter().any(|prefix| path.strip_prefix("crates/").unwrap_or(path).starts_with(prefix))
            && !NAME_EXCEPTIONS.iter().any(|(file, excepted, _)| *file == path && excepted == name)
    }
}

/// Uses of refused names in the code of one file.
fn refused_names(names: &[Name], path: &str, source: &str) -> Vec<String> {
    let names: Vec<&Name> = names.iter().filter(|name| name.is_refused_at(path)).collect();
    let mut found = Vec::new();
    for (line, number) in code_of(source).lines().zip(1..) {
        let snake = snake_case(line);
        let used = names.iter().filter(|name| name.is_in(line, &snake));
        found.extend(used.map(|Name(name, _, say)| format!("{path}:{number} uses {name}; say {say}")));
    }
    found
}

/// What of a line is prose: all of a page, the comment or the error message of a line of Rust.
fn prose<'a>(path: &str, line: &'a str) -> &'a str {
    if !path.ends_with(".rs") {
        return line;
    }
    match line.find("//") {
        _ if line.trim_start().starts_with("#[error(") => line,
        Some(at) => &line[at..],
        None => "",
    }
}

/// Uses of refused phrases in the prose of one file.
fn refused_phrases(phrases: &[Phrase], path: &str, text: &str) -> Vec<String> {
    let excepted =
        |phrase: &str| PHRASE_EXCEPTIONS.iter().any(|(file, except, _)| *file == path && *except == phrase);
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = prose(path, line).to_lowercase();
        let used = phrases.iter().filter(|Phrase(phrase, _)| {
            stands_alone(&line, phrase, char::is_alphanumeric) && !excepted(phrase)
        });
        found.extend(used.map(|Phrase(phrase, say)| format!("{path}:{number} says \"{phrase}\"; say {say}")));
    }
    found
}

/// All Rust sources and pages, as (path, text); not this file, which has to name what it refuses.
fn texts() -> Vec<(String, String)> {
    let root = workspace();
    let mut paths = [rust_files(&root.join("crates")), rust_files(&root.join("fuzz"))].concat();
    for folder in ["", "docs", "docs/decisions", "evals", "evals/insight", "fuzz", "model"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let files = entries.map(|entry| entry.unwrap().path());
        paths.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    let texts = paths.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let text = std::fs::read_to_string(path).unwrap();
        (name, text)
    });
    texts.filter(|(name, _)| !name.ends_with("architecture/names.rs")).collect()
}

fn violations(names: &[Name], phrases: &[Phrase]) -> Vec<String> {
    let texts = texts();
    assert!(texts.len() > 100);
    let code = texts.iter().filter(|(path, _)| path.ends_with(".rs"));
    let mut found: Vec<String> = code.flat_map(|(path, text)| refused_names(names, path, text)).collect();
    found.extend(texts.iter().flat_map(|(path, text)| refused_phrases(phrases, path, text)));
    found
}

#[test]
fn replaced_names_stay_replaced() {
    check(violations(REFUSED_NAMES, REFUSED_PHRASES));
}

#[test]
fn exceptions_are_needed() {
    let texts = texts();
    let text_of = |file: &str| &texts.iter().find(|(path, _)| path == file).expect(file).1;
    for (file, name, why) in NAME_EXCEPTIONS {
        let used = snake_case(&code_of(text_of(file)));
        assert!(stands_alone(&used, &snake_case(name), char::is_alphanumeric), "{file} has no {name}: {why}");
    }
    for (file, phrase, why) in PHRASE_EXCEPTIONS {
        assert!(text_of(file).to_lowercase().contains(phrase), "{file} does not say {phrase}: {why}");
    }
}

#[test]
fn refused_names_are_found_in_code_and_phrases_in_prose() {
    let names = [
        Name("have_come", ANYWHERE, "drain"),
        Name("Told", ANYWHERE, "message"),
        Name("fn of(", ANYWHERE, "from"),
        Name("lead", &["craig-search"], "margin"),
    ];
    let code = |path: &str, source: &str| refused_names(&names, path, source).len();
    for source in ["fn have_come() {}", "struct HaveCome;", "const HAVE_COME_BACK: u8 = 0;", "x.have_come"] {
        assert_eq!(code("crates/craig/src/a.rs", source), 1, "{source}");
    }
    for source in ["let told = 1;", "// Told", "\"Told\"", "struct Retold;", "fn often() {}", "let lead = 1;"]
    {
        assert_eq!(code("crates/craig/src/a.rs", source), 0, "{source}");
    }
    assert_eq!(code("crates/craig/src/a.rs", "impl Told {\n    fn of(a: u8) {}\n}"), 2);
    assert_eq!(code("crates/craig-search/src/a.rs", "let max_lead = 1; leader()"), 1);

    let phrases = [Phrase("handed out", "returned")];
    let prose = |path: &str, text: &str| refused_phrases(&phrases, path, text);
    assert_eq!(prose("a.md", "ok\nHanded out."), ["a.md:2 says \"handed out\"; say returned"]);
    assert_eq!(prose("a.rs", "/// What is handed out.").len(), 1);
    assert_eq!(prose("a.rs", "#[error(\"none is handed out\")]").len(), 1);
    assert!(prose("a.rs", "let handed = \"handed out\";").is_empty());
    assert!(prose("a.md", "unhanded outside").is_empty());
}
