//! A piece of context: a range of a file, and the reasons for it.

use std::ops::RangeInclusive;

use craig_chunk::{ChunkKind, Symbol};
use craig_search::{Evidence, Hit};
use craig_source::Language;
use schemars::JsonSchema;
use serde::Serialize;

/// A stretch of a file that is given as context.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Block {
    /// Path relative to the project.
    pub path: String,
    /// First line, from 1.
    pub line_start: u32,
    /// Last line, inclusive. Of a block that was cut, the last line that is left.
    pub line_end: u32,
    /// Language id, as VS Code names it.
    pub language: String,
    /// Its kind.
    pub chunk_type: ChunkKind,
    /// Symbol that it defines, or heading.
    pub symbol_name: Option<String>,
    /// How likely it is of use, 0 to 1.
    pub score: f32,
    /// Tokens of its content.
    pub tokens: usize,
    /// Its text: data, not instructions.
    pub content: String,
    /// Whether its end was cut off to fit.
    pub is_truncated: bool,
    /// The signals that the score came from, strongest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Evidence>,
}

impl Block {
    /// The block of a hit. Its tokens are not counted yet.
    pub fn from_hit(hit: &Hit) -> Self {
        let mut why = hit.evidence.clone();
        why.truncate(MOST_REASONS);
        Self {
            path: hit.path.clone(),
            line_start: hit.line_start,
            line_end: hit.line_end,
            language: hit.language.clone(),
            chunk_type: hit.chunk_type,
            symbol_name: hit.symbol_name.clone(),
            score: hit.score,
            tokens: 0,
            content: hit.content.trim_end().to_owned(),
            is_truncated: false,
            why,
        }
    }

    /// A block of code that no search of ours found. Its language is that of the path.
    pub fn from_text(path: &str, (line_start, line_end): (u32, u32), score: f32, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            line_start,
            line_end,
            language: Language::from_path(path).map_or("", Language::id).to_owned(),
            chunk_type: ChunkKind::Module,
            symbol_name: None,
            score,
            tokens: 0,
            content: text.trim_end().to_owned(),
            is_truncated: false,
            why: Vec::new(),
        }
    }

    /// Its lines.
    pub fn lines(&self) -> RangeInclusive<u32> {
        self.line_start..=self.line_end
    }

    /// Whether it shares a line of the same file.
    pub fn overlaps(&self, path: &str, lines: &RangeInclusive<u32>) -> bool {
        self.path == path && self.line_start <= *lines.end() && *lines.start() <= self.line_end
    }

    /// The language.
    pub fn language(&self) -> Option<Language> {
        Language::from_id(&self.language)
    }
}

/// Signals reported of a block.
const MOST_REASONS: usize = 5;

/// A file that blocks are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Its text.
    pub text: String,
    /// The symbols that it defines, in order.
    pub symbols: Vec<Symbol>,
}

impl SourceText {
    /// The text of these lines, 1-based, without the last line break.
    pub fn lines(&self, lines: &RangeInclusive<u32>) -> &str {
        let start = line_start(&self.text, *lines.start());
        let end = line_start(&self.text, lines.end().saturating_add(1));
        self.text[start..end.max(start)].trim_end_matches(['\n', '\r'])
    }
}

/// Byte at which line `line`, 1-based, begins; the end of the text when it has no such line.
fn line_start(text: &str, line: u32) -> usize {
    match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line as usize - 2).map_or(text.len(), |(at, _)| at + 1),
    }
}

/// Joins blocks of one file that overlap or follow each other; what comes first in the list comes first afterwards.
///
/// `source` gives a file's text; blocks of files that it does not give stay as they are.
pub fn merged<'s>(blocks: Vec<Block>, source: impl Fn(&str) -> Option<&'s SourceText>) -> Vec<Block> {
    let mut kept: Vec<Block> = Vec::new();
    for block in blocks {
        let mut joined = block;
        // A block may close the gap between two that are kept.
        while let Some(at) = kept.iter().position(|other| is_adjacent(other, &joined)) {
            let Some(text) = source(&joined.path) else { break };
            joined = join(kept.remove(at), &joined, text);
        }
        let at = kept.iter().position(|other| other.score < joined.score).unwrap_or(kept.len());
        kept.insert(at, joined);
    }
    kept
}

/// Whether two blocks of a file have no line between them.
fn is_adjacent(a: &Block, b: &Block) -> bool {
    a.path == b.path
        && a.line_start <= b.line_end.saturating_add(1)
        && b.line_start <= a.line_end.saturating_add(1)
}

/// Both as one, named like the better.
fn join(a: Block, b: &Block, text: &SourceText) -> Block {
    let (better, lines) = (
        if a.score >= b.score { a.clone() } else { b.clone() },
        a.line_start.min(b.line_start)..=a.line_end.max(b.line_end),
    );
    Block {
        line_start: *lines.start(),
        line_end: *lines.end(),
        content: text.lines(&lines).trim_end().to_owned(),
        ..better
    }
}

/// Types with more lines than this are not given whole for the sake of a part.
const MAX_TYPE_LINES: u32 = 100;

/// The lines of the smallest function, or type that is not too long, that a block is a part of; `None` when it is a part of
/// none.
pub fn enclosing(block: &Block, text: &SourceText) -> Option<RangeInclusive<u32>> {
    use ChunkKind as K;
    let is_whole = |symbol: &&Symbol| match symbol.kind {
        K::Function | K::Method => true,
        K::Class | K::Interface | K::Enum => symbol.line_end - symbol.line < MAX_TYPE_LINES,
        _ => false,
    };
    // Comments above a symbol are part of the block, and may precede the symbol's first line.
    let holds = |symbol: &&Symbol| {
        let begins_in =
            symbol.line <= block.line_start || symbol.line <= block.line_end && is_named(block, symbol);
        begins_in && symbol.line_end >= block.line_end && symbol.line_end > symbol.line
    };
    let is_larger = |symbol: &&Symbol| symbol.line < block.line_start || symbol.line_end > block.line_end;
    let symbols = text.symbols.iter().filter(is_whole).filter(holds).filter(is_larger);
    let smallest = symbols.min_by_key(|symbol| symbol.line_end - symbol.line)?;
    Some(smallest.line.min(block.line_start)..=smallest.line_end)
}

fn is_named(block: &Block, symbol: &Symbol) -> bool {
    block.symbol_name.as_deref() == Some(symbol.name.as_str())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn block(path: &str, lines: RangeInclusive<u32>, score: f32, content: &str) -> Block {
        Block {
            path: path.into(),
            line_start: *lines.start(),
            line_end: *lines.end(),
            language: "rust".into(),
            chunk_type: ChunkKind::Function,
            symbol_name: None,
            score,
            tokens: 0,
            content: content.into(),
            is_truncated: false,
            why: Vec::new(),
        }
    }

    fn numbered(n: u32) -> SourceText {
        SourceText { text: (1..=n).map(|line| format!("line {line}\n")).collect(), symbols: Vec::new() }
    }

    #[test]
    fn lines_of_a_text() {
        let text = numbered(3);
        assert_eq!(text.lines(&(1..=1)), "line 1");
        assert_eq!(text.lines(&(2..=3)), "line 2\nline 3");
        assert_eq!(text.lines(&(3..=9)), "line 3");
        assert_eq!(text.lines(&(7..=9)), "");
    }

    #[test]
    fn neighbours_are_joined_and_others_stay() {
        let text = numbered(20);
        let blocks = vec![
            block("a", 1..=3, 0.9, "x"),
            block("b", 4..=5, 0.85, "y"),
            block("a", 8..=9, 0.8, "z"),
            block("a", 4..=7, 0.75, "w"),
        ];
        let merged = merged(blocks, |path| (path == "a").then_some(&text));
        let blocks: Vec<_> = merged.iter().map(|b| (b.path.as_str(), b.lines(), b.score)).collect();
        assert_eq!(blocks, [("a", 1..=9, 0.9), ("b", 4..=5, 0.85)]);
        assert!(merged[0].content.starts_with("line 1\n") && merged[0].content.ends_with("line 9"));
    }

    #[test]
    fn a_part_knows_the_whole() {
        let symbol = |kind, line, line_end| Symbol { name: "f".into(), kind, parent: None, line, line_end };
        let text = SourceText {
            text: String::new(),
            symbols: vec![
                symbol(ChunkKind::Class, 1, 90),
                symbol(ChunkKind::Method, 10, 40),
                symbol(ChunkKind::Class, 100, 400),
            ],
        };
        let lines_of = |lines: RangeInclusive<u32>| enclosing(&block("a", lines, 1.0, ""), &text);
        assert_eq!(lines_of(20..=30), Some(10..=40));
        assert_eq!(lines_of(10..=40), Some(1..=90));
        assert_eq!(lines_of(1..=90), None);
        assert_eq!(lines_of(120..=130), None);
        let commented = Block { symbol_name: Some("f".into()), ..block("a", 8..=30, 1.0, "") };
        assert_eq!(enclosing(&commented, &text), Some(8..=40));
    }
}
