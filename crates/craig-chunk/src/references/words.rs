//! Where imports and packages may stand: each has a word of the language in it. Most of a tree has none and is not visited.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use craig_source::Language;

/// Starts of words in a text, in order.
pub(super) struct Words(Vec<usize>);

impl Words {
    /// Words with which imports and packages of a language are written; `None` where any node may be one, or is needed.
    pub(super) fn new(language: Language, text: &str) -> Option<Self> {
        let words = searcher(language)?;
        let bytes = text.as_bytes();
        let is_whole = |range: &Range<usize>| {
            let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
            let after = bytes.get(range.end);
            !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                // `require_once`, `requireActual`
                && !after.is_some_and(u8::is_ascii_lowercase)
        };
        let found = words.find_iter(text).map(|found| found.range()).filter(is_whole);
        Some(Self(found.map(|range| range.start).collect()))
    }

    /// Whether one starts in a range of bytes.
    pub(super) fn are_in(&self, range: Range<usize>) -> bool {
        let next = self.0.partition_point(|&at| at < range.start);
        self.0.get(next).is_some_and(|&at| at < range.end)
    }
}

fn searcher(language: Language) -> Option<&'static AhoCorasick> {
    use Language::{
        CSharp, Go, Haskell, Java, JavaScript, Kotlin, Lua, Php, Python, Ruby, Rust, Swift, Tsx, TypeScript,
        Zig,
    };
    macro_rules! words {
        ($($word:literal)*) => {{
            static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
                // Keywords of PHP may be written in capitals.
                let is_php = [$($word),*].contains(&"include");
                let mut builder = AhoCorasick::builder();
                // Of the leftmost match, several bytes are compared at once.
                builder.match_kind(MatchKind::LeftmostFirst).ascii_case_insensitive(is_php);
                builder.build([$($word),*]).ok()
            });
            WORDS.as_ref()
        }};
    }
    match language {
        CSharp => words!("using" "namespace"),
        Go | Java | Kotlin | Swift => words!("import" "package"),
        TypeScript | Tsx | JavaScript => words!("import" "require" "export"),
        Lua => words!("require"),
        Php => words!("namespace" "use" "require" "include"),
        Haskell | Python | Zig => words!("import"),
        Ruby => words!("require" "load" "autoload"),
        Rust => words!("use" "mod" "extern"),
        _ => None,
    }
}
