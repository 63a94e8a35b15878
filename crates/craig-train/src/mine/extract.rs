//! Makes pairs out of one file.

use std::collections::HashSet;

use craig_chunk::{Chunk, ChunkKind, Outline, Symbol};
use craig_source::{FileKind, Language};
use craig_text::{compact, is_test, lower_words};

use super::comments::{Documented, documented, file_header, is_understood};
use super::sentences::{says_something, sentences};
use crate::pairs::{Kind, Pair};

/// Bytes of a document's text: about the longest chunk that the engine cuts.
const MAX_TEXT_BYTES: usize = 2400;
/// Bytes of the names of a file.
const MAX_NAMES_BYTES: usize = 1500;
/// Bodies below this say too little to be found by.
const MIN_TEXT_BYTES: usize = 60;
const MIN_NAMED_BODY_BYTES: usize = 200;

/// A file to mine.
pub(crate) struct Source<'t> {
    pub(crate) repository: &'t str,
    pub(crate) path: &'t str,
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    /// Subjects of commits that changed it.
    pub(crate) subjects: &'t [String],
}

/// All pairs that `source` gives.
pub(crate) fn pairs(source: &Source<'_>) -> Vec<Pair> {
    if source.language == Language::Markdown || source.language == Language::ReStructuredText {
        return section_pairs(source);
    }
    if source.language.kind() != FileKind::Code || !is_understood(source.language) {
        return Vec::new();
    }
    let outline = craig_chunk::chunk(source.language, source.text);
    let miner = Miner { source, lines: source.text.lines().collect(), outline: &outline, pairs: Vec::new() };
    miner.mine()
}

struct Miner<'t> {
    source: &'t Source<'t>,
    lines: Vec<&'t str>,
    outline: &'t Outline,
    pairs: Vec<Pair>,
}

impl Miner<'_> {
    fn mine(mut self) -> Vec<Pair> {
        let mut seen = HashSet::new();
        for symbol in &self.outline.symbols {
            // Overloads and accessors on one line give the same document.
            if seen.insert(symbol.line) {
                self.definition(symbol);
            }
        }
        self.file();
        self.pairs
    }

    fn push(&mut self, kind: Kind, query: &str, document: &Document) {
        self.pairs.push(Pair {
            repository: self.source.repository.to_owned(),
            language: self.source.language.id().to_owned(),
            kind,
            query: query.to_owned(),
            path: document.path.clone(),
            names: document.names.clone(),
            text: cut(&document.text, MAX_TEXT_BYTES).to_owned(),
        });
    }

    fn definition(&mut self, symbol: &Symbol) {
        let Some((at, end)) = self.line_range(symbol) else { return };
        if !is_test(self.source.path) {
            self.documented(symbol, at, end);
        }
        self.named_body(symbol, at, end);
    }

    fn documented(&mut self, symbol: &Symbol, at: usize, end: usize) {
        let Some(Documented { doc, code }) = documented(self.source.language, &self.lines, at, end) else {
            return;
        };
        if code.len() >= MIN_TEXT_BYTES {
            let names = self.names_of(symbol);
            let document = Document { path: self.source.path.to_owned(), names, text: code };
            for (kind, sentence) in [Kind::Doc, Kind::Detail].into_iter().zip(sentences(&doc)) {
                self.push(kind, &sentence, &document);
            }
        }
    }

    /// Symbol's lines as a range from 0; `None` where there are none.
    fn line_range(&self, symbol: &Symbol) -> Option<(usize, usize)> {
        let at = (symbol.line as usize).checked_sub(1)?;
        let end = (symbol.line_end as usize).min(self.lines.len());
        (at < end).then_some((at, end))
    }

    /// The name of `symbol`, of what encloses it, and of what it encloses.
    fn names_of(&self, symbol: &Symbol) -> String {
        let within = |other: &&Symbol| symbol.line < other.line && other.line <= symbol.line_end;
        let inner = self.outline.symbols.iter().filter(within).map(|other| other.name.as_str());
        let outer = [symbol.parent.as_deref().unwrap_or_default(), symbol.name.as_str()];
        let names: Vec<&str> = outer.into_iter().chain(inner).collect();
        cut(names.join("\n").trim(), MAX_NAMES_BYTES).to_owned()
    }

    fn named_body(&mut self, symbol: &Symbol, at: usize, end: usize) {
        let query = split_words(&symbol.name);
        let is_function = matches!(symbol.kind, ChunkKind::Function | ChunkKind::Method);
        let body = self.lines[at..end].join("\n");
        if !is_function || query.split(' ').count() < 2 || body.len() < MIN_NAMED_BODY_BYTES {
            return;
        }
        let (kind, query) = if is_test(self.source.path) {
            (Kind::Test, query.trim_start_matches("test ").trim_end_matches(" test").to_owned())
        } else {
            (Kind::Name, query)
        };
        if says_something(&query) {
            let text = body.replace(&symbol.name, " ");
            self.push(kind, &query, &Document { path: String::new(), names: String::new(), text });
        }
    }

    /// What the file as a whole is for: its header, its name, its commits.
    fn file(&mut self) {
        if is_test(self.source.path) || self.outline.symbols.is_empty() {
            return;
        }
        let document = self.whole();
        if document.text.len() < MIN_TEXT_BYTES {
            return;
        }
        for purpose in self.purposes().iter().take(2) {
            self.push(Kind::Purpose, purpose, &document);
        }
        if let Some(query) = asked_by_name(self.source.path) {
            let stem = stem(self.source.path);
            let masked = Document {
                path: String::new(),
                names: document.names.replace(stem, " "),
                text: document.text.replace(stem, " "),
            };
            self.push(Kind::File, &query, &masked);
        }
        for subject in self.source.subjects.iter().filter_map(|subject| purpose_of_commit(subject)).take(3) {
            self.push(Kind::Commit, &subject, &document);
        }
    }

    /// Sentences on the whole file: its header's, else those of the type that has its name.
    fn purposes(&self) -> Vec<String> {
        let header = file_header(self.source.language, &self.lines);
        let of_header = header.map(|(doc, _)| sentences(&doc)).unwrap_or_default();
        if !of_header.is_empty() {
            return of_header.iter().map(|sentence| without_subject(sentence)).collect();
        }
        let stem = compact(stem(self.source.path));
        let is_main = |symbol: &&Symbol| {
            let last = symbol.name.rsplit(['.', ':']).next().unwrap_or_default();
            is_type(symbol.kind) && (compact(&symbol.name) == stem || compact(last) == stem)
        };
        let main = self.outline.symbols.iter().find(is_main);
        let main = main.and_then(|symbol| {
            let (at, end) = self.line_range(symbol)?;
            documented(self.source.language, &self.lines, at, end)
        });
        main.map(|found| sentences(&found.doc)).unwrap_or_default()
    }

    /// The file as a document: its names, and its text behind header and imports.
    fn whole(&self) -> Document {
        let names: Vec<&str> = self.outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        let header = file_header(self.source.language, &self.lines).map_or(0, |(_, next)| next);
        let defined = self.outline.symbols.first().map_or(0, |symbol| symbol.line);
        let imports = self.outline.imports.iter().map(|import| import.line).filter(|&line| line < defined);
        let first = imports.max().unwrap_or(0) as usize;
        let text = self.lines[first.max(header).min(self.lines.len())..].join("\n");
        Document {
            path: self.source.path.to_owned(),
            names: cut(&names.join("\n"), MAX_NAMES_BYTES).to_owned(),
            text: cut(&text, MAX_TEXT_BYTES).to_owned(),
        }
    }
}

struct Document {
    path: String,
    names: String,
    text: String,
}

fn is_type(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum | ChunkKind::Module | ChunkKind::Type
    )
}

/// The file's name, with its folder's where it is one word: `src/http/client.rs` asks for `http client`.
fn asked_by_name(path: &str) -> Option<String> {
    let mut query = split_words(stem(path));
    if query.split(' ').count() < 2 {
        let folder = path
            .rsplit('/')
            .nth(1)
            .filter(|folder| !matches!(*folder, "src" | "lib" | "include" | "main"))?;
        query = format!("{} {query}", split_words(folder));
    }
    says_something(&query).then_some(query)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').find(|part| !part.is_empty()).unwrap_or(name)
}

fn split_words(name: &str) -> String {
    lower_words(name).collect::<Vec<_>>().join(" ")
}

/// `Package http provides clients` → `provides clients`; `table.c - grows` → `grows`.
fn without_subject(sentence: &str) -> String {
    let rest = sentence.split_once(" - ").filter(|(subject, _)| subject.split(' ').count() <= 2);
    let sentence = rest.map_or(sentence, |(_, rest)| rest);
    let package = sentence.strip_prefix("Package ").and_then(|rest| rest.split_once(' '));
    package.map_or(sentence, |(_, rest)| rest).to_owned()
}

/// A commit's subject without scope, ticket and kind; `None` where it is about no code.
fn purpose_of_commit(subject: &str) -> Option<String> {
    const DULL: &[&str] = &[
        "merge",
        "bump",
        "release",
        "version",
        "changelog",
        "typo",
        "revert",
        "lint",
        "format",
        "update copyright",
        "wip",
        "cleanup",
        "clean up",
        "readme",
        "whitespace",
        "upgrade",
        "ci:",
        "chore",
        "style",
        "rename",
        "tests",
    ];
    let lower = subject.to_lowercase();
    if DULL.iter().any(|dull| lower.contains(dull)) {
        return None;
    }
    let subject = subject.split_once(": ").map_or(subject, |(_, rest)| rest);
    let subject = subject.split(" (#").next().unwrap_or(subject).trim_end_matches('.');
    let is_long_enough = subject.split(' ').count() >= 4 && subject.len() <= 120;
    (is_long_enough && says_something(subject)).then(|| subject.to_owned())
}

/// Headings that say nothing of what stands under them.
const DULL_HEADINGS: &[&str] = &[
    "installation",
    "install",
    "usage",
    "license",
    "licence",
    "contributing",
    "changelog",
    "example",
    "examples",
    "overview",
    "introduction",
    "getting started",
    "documentation",
    "table of contents",
    "see also",
    "notes",
    "features",
    "summary",
    "references",
    "parameters",
    "returns",
    "bug fixes",
    "added",
    "fixed",
    "changed",
    "contributors",
    "credits",
    "new features",
];

fn section_pairs(source: &Source<'_>) -> Vec<Pair> {
    let lower = source.path.to_lowercase();
    if ["change", "release", "history", "news", "code_of_conduct", "license", "contributors"]
        .iter()
        .any(|w| lower.contains(w))
    {
        return Vec::new();
    }
    let outline = craig_chunk::chunk(source.language, source.text);
    let sections = outline.chunks.iter().filter(|chunk| chunk.kind == ChunkKind::Section);
    sections.filter_map(|chunk| section_pair(source, chunk)).collect()
}

fn section_pair(source: &Source<'_>, chunk: &Chunk) -> Option<Pair> {
    let heading = chunk.symbol_name.as_deref()?.trim();
    if DULL_HEADINGS.contains(&heading.to_lowercase().as_str()) || heading.bytes().any(|b| b.is_ascii_digit())
    {
        return None;
    }
    let parent = chunk.parent.as_deref().and_then(|parent| parent.rsplit(" > ").next());
    let query = match parent {
        Some(parent) if heading.split_whitespace().count() < 3 => format!("{parent} {heading}"),
        _ => heading.to_owned(),
    };
    let body = without_headings(chunk.text(source.text), heading);
    (says_something(&query) && body.len() >= MIN_NAMED_BODY_BYTES).then(|| Pair {
        repository: source.repository.to_owned(),
        language: source.language.id().to_owned(),
        kind: Kind::Section,
        query,
        path: source.path.to_owned(),
        names: String::new(),
        text: cut(&body, MAX_TEXT_BYTES).to_owned(),
    })
}

/// A section's text behind its heading, and those of sections that are no more than a heading.
fn without_headings(text: &str, heading: &str) -> String {
    let is_heading = |line: &&str| {
        let line = line.trim();
        line.starts_with('#') || line.contains(heading) || line.bytes().all(|b| b.is_ascii_punctuation())
    };
    text.lines().skip_while(is_heading).collect::<Vec<_>>().join("\n")
}

fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(path: &str, text: &str, subjects: &[&str], expect: Expect) {
        let subjects: Vec<String> = subjects.iter().map(|subject| (*subject).to_owned()).collect();
        let language = Language::from_path(path).unwrap();
        let source = Source { repository: "a/b", path, language, text, subjects: &subjects };
        let shown = |pair: &Pair| {
            let first = pair.text.trim().lines().next().unwrap_or_default();
            format!("{:?} {:?} → {:?} {:?} {first:?}\n", pair.kind, pair.query, pair.path, pair.names)
        };
        expect.assert_eq(&pairs(&source).iter().map(shown).collect::<String>());
    }

    #[test]
    fn a_module_gives_pairs_of_every_kind() {
        let body = "    let text = read_text(path).map_err(Failure::from)?;\n".repeat(4);
        let text = format!(
            "//! Keeps the sessions of users.\n\nuse std::fs;\n\n/// Loads a session from disk. It may be old.\n\
             pub fn load_session(path: &str) -> Session {{\n{body}}}\n"
        );
        check(
            "src/session_store.rs",
            &text,
            &["store: keep sessions on disk (#12)", "Bump versions of all crates"],
            expect![[r#"
                Doc "Loads a session from disk." → "src/session_store.rs" "load_session" "pub fn load_session(path: &str) -> Session {"
                Detail "It may be old." → "src/session_store.rs" "load_session" "pub fn load_session(path: &str) -> Session {"
                Name "load session" → "" "" "pub fn  (path: &str) -> Session {"
                Purpose "Keeps the sessions of users." → "src/session_store.rs" "load_session" "/// Loads a session from disk. It may be old."
                File "session store" → "" "load_session" "/// Loads a session from disk. It may be old."
                Commit "keep sessions on disk" → "src/session_store.rs" "load_session" "/// Loads a session from disk. It may be old."
            "#]],
        );
    }

    #[test]
    fn tests_give_their_names_alone() {
        let text = format!(
            "/** Checks it. */\nfunc TestRejectsOldTokens(t *testing.T) {{\n{}}}\n",
            "\tcheck(t, old)\n".repeat(20)
        );
        check(
            "auth/token_test.go",
            &text,
            &["reject all old tokens here"],
            expect![[r#"
            Test "rejects old tokens" → "" "" "func  (t *testing.T) {"
        "#]],
        );
    }

    #[test]
    fn headings_ask_for_their_sections() {
        let body = "The pool opens connections when asked and closes them later. ".repeat(5);
        let text = format!("# Guide\n\n## Connection pooling\n\n{body}\n\n## License\n\n{body}\n");
        check(
            "docs/guide.md",
            &text,
            &[],
            expect![[r#"
            Section "Guide Connection pooling" → "docs/guide.md" "" "The pool opens connections when asked and closes them later. The pool opens connections when asked and closes them later. The pool opens connections when asked and closes them later. The pool opens connections when asked and closes them later. The pool opens connections when asked and closes them later."
        "#]],
        );
    }
}
