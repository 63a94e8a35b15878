//! Derives the query of an inline edit from its instruction and the selected code.

use craig_chunk::{ChunkKind, chunk};
use craig_source::Language;
use craig_text::{identifiers, is_identifier_char};

use super::reference::Reference;
use super::words::{Token, tokens};

/// What to search for before code is edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineQuery {
    /// What to search for.
    pub text: String,
    /// The source of the query.
    pub basis: Basis,
    /// Code that the instruction points to.
    pub reference: Option<Reference>,
}

/// The source of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// An explicit reference, "like the login function", with what else the instruction is about.
    Reference,
    /// The subject of the instruction.
    Instruction,
    /// A name that the selected code defines.
    Selection,
    /// The whole instruction.
    Whole,
}

/// The subject of the instruction is used if it is longer than this.
const MAX_TOO_SHORT: usize = 3;

/// Words that are dropped from the subject of an instruction, in addition to its first verb.
const LEFT_OUT: &[&str] = &["this", "that", "it", "the", "a", "an", "to", "into"];

impl InlineQuery {
    /// Reads `instruction`; `selection` is the code that it is about.
    pub fn new(instruction: &str, selection: &str, language: Language) -> Self {
        let instruction = instruction.trim();
        let found = tokens(instruction);
        if let Some(reference) = Reference::find(instruction) {
            let outside = found
                .iter()
                .filter(|token| !overlap(&token.bytes, &reference.bytes))
                .cloned()
                .collect::<Vec<_>>();
            let topic = topic(&outside, true);
            let text = format!("{} {topic}", reference.text).trim_end().to_owned();
            return Self { text, basis: Basis::Reference, reference: Some(reference) };
        }
        let topic = topic(&found, false);
        if topic.chars().count() > MAX_TOO_SHORT {
            return Self { text: topic, basis: Basis::Instruction, reference: None };
        }
        match defined_name(selection, language) {
            Some(name) => Self { text: name, basis: Basis::Selection, reference: None },
            None => Self { text: instruction.to_owned(), basis: Basis::Whole, reference: None },
        }
    }
}

fn overlap(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The words of an instruction's subject. Next to a reference, "use" is also dropped.
fn topic(tokens: &[Token<'_>], is_beside_reference: bool) -> String {
    let is_verb = |token: &Token<'_>| LEADING_VERBS.contains(&token.lower.as_str());
    let leading = tokens.iter().take_while(|token| is_verb(token)).count();
    let is_left_out = |token: &&Token<'_>| {
        let lower = token.lower.as_str();
        LEFT_OUT.contains(&lower)
            || is_beside_reference && ["use", "using", "it", "and", "please"].contains(&lower)
    };
    let kept = tokens[leading..].iter().filter(|token| !is_left_out(token)).map(|token| token.text);
    kept.collect::<Vec<_>>().join(" ")
}

/// Verbs that an instruction may begin with without being about them.
const LEADING_VERBS: &[&str] = &["add", "refactor", "fix", "update", "change", "make", "convert"];

/// The first function, else type, that `code` defines; read as text where it is a piece that no grammar understands.
pub(crate) fn defined_name(code: &str, language: Language) -> Option<String> {
    use ChunkKind as K;
    let symbols = chunk(language, code).symbols;
    let first = |kinds: &[K]| symbols.iter().find(|symbol| kinds.contains(&symbol.kind));
    let found = first(&[K::Function, K::Method])
        .or_else(|| first(&[K::Class, K::Interface, K::Enum, K::Type]))
        .or(symbols.first());
    found.map(|symbol| symbol.name.clone()).or_else(|| name_behind_keyword(code))
}

/// The name behind `function`, `const`, `class` and their like.
fn name_behind_keyword(code: &str) -> Option<String> {
    const KEYWORDS: &[&str] = &[
        "function",
        "const",
        "let",
        "var",
        "class",
        "def",
        "fn",
        "func",
        "fun",
        "sub",
        "struct",
        "interface",
        "trait",
        "enum",
        "type",
        "module",
        "val",
    ];
    let words: Vec<&str> = identifiers(code).map(|word| word.text).collect();
    let behind = |keyword: &[&str]| {
        words.windows(2).find(|pair| keyword.contains(&pair[0])).map(|pair| pair[1].to_owned())
    };
    behind(KEYWORDS)
        .filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
        .or_else(|| method_name(code))
}

/// The name of a method that is cut out of its class: `async load(id) {`.
fn method_name(code: &str) -> Option<String> {
    const NOT_NAMES: &[&str] =
        &["if", "for", "while", "switch", "catch", "return", "with", "match", "until", "foreach"];
    let head = code.lines().find(|line| !line.trim().is_empty())?.trim_end();
    let before =
        head.split('(').next().filter(|before| before.len() < head.len() && head.ends_with(['{', ':']))?;
    let name = before.rsplit(|c| !is_identifier_char(c)).next()?;
    (!name.is_empty() && !NOT_NAMES.contains(&name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as expect! makes it")]
    fn check(instruction: &str, selection: &str, language: Language, expected: Expect) {
        let query = InlineQuery::new(instruction, selection, language);
        expected.assert_eq(&format!("{} ({:?})", query.text, query.basis));
    }

    #[test]
    fn queries_of_the_requirements() {
        use Language::{Go, Python, Rust, TypeScript};
        check("like the login function", "", TypeScript, expect!["login function (Reference)"]);
        check("Add error handling", "", TypeScript, expect!["error handling (Instruction)"]);
        check(
            "fix it",
            "function fetchData() { return fetch(url) }",
            TypeScript,
            expect!["fetchData (Selection)"],
        );
        check("fix", "function fetchData()", TypeScript, expect!["fetchData (Selection)"]);
        check(
            "Refactor this to use async/await like the login function",
            "",
            TypeScript,
            expect!["login function async await (Reference)"],
        );
        check(
            "Refactor this to use the same pattern as the login function",
            "",
            TypeScript,
            expect!["login function (Reference)"],
        );
        check(
            "Add error handling like the API client",
            "",
            TypeScript,
            expect!["API client error handling (Reference)"],
        );
        check(
            "Make this async like other database functions",
            "",
            TypeScript,
            expect!["database functions async (Reference)"],
        );
        check("fix", "class Basket:\n    pass\n", Python, expect!["Basket (Selection)"]);
        check("fix", "func (s *Server) Serve() error { return nil }", Go, expect!["Serve (Selection)"]);
        check("fix", "pub(crate) fn parse(x: u8) {}", Rust, expect!["parse (Selection)"]);
        check(
            "fix",
            "    async load(id) {\n        return 1\n    }",
            TypeScript,
            expect!["load (Selection)"],
        );
        check("fix", "    if (a) {\n        b()\n    }", TypeScript, expect!["fix (Whole)"]);
        check("fix", "const limit = 3", TypeScript, expect!["limit (Selection)"]);
        check("fix", "x + 1", TypeScript, expect!["fix (Whole)"]);
        check("", "", TypeScript, expect![" (Whole)"]);
        check(
            "convert fetchUser into a generator",
            "",
            TypeScript,
            expect!["fetchUser generator (Instruction)"],
        );
    }
}
