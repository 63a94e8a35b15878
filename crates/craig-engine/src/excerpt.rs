//! The lines of a hit that answer: what it is called, and where it shares most with the query.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::Symbol;
use craig_search::Hit;
use craig_store::{OutlinedFile, Project, Store};
use craig_text::{is_stop_word, runs, stems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// How much of a hit's text is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// The lines that answer, numbered, with `…` where lines are left out.
    Lines,
    /// The whole symbol that the hit is a part of.
    Symbol,
    /// The hit as it is indexed.
    #[default]
    Full,
}

/// Lines of an excerpt: more of the best hit.
const MAX_LINES: usize = 9;
const MAX_BEST_LINES: usize = 14;

/// Lines of comments before the first line of code in an excerpt.
const MAX_COMMENT_LINES: usize = 2;

/// Symbols with more lines than this are not given whole.
const MAX_SYMBOL_LINES: u32 = 400;

impl Detail {
    /// Gives the hits as much text as is wanted, and the lines of the symbols that they are parts of.
    pub(crate) fn shape(
        self,
        store: &Store,
        project: &Project,
        query: &str,
        hits: &mut [Hit],
    ) -> Result<(), EngineError> {
        if self == Self::Full {
            return Ok(());
        }
        let mut files: HashMap<String, Option<OutlinedFile>> = HashMap::new();
        for (at, hit) in hits.iter_mut().enumerate() {
            if !files.contains_key(&hit.path) {
                let tracked = store.tracked_file(project.id, &hit.path)?;
                let outlined = tracked.map(|file| store.load_outlines(&[file.id])).transpose()?;
                files.insert(hit.path.clone(), outlined.and_then(|mut files| files.pop()));
            }
            if let Some(Some(file)) = files.get(&hit.path) {
                name_after_answer(hit, file, query);
                if self == Self::Symbol {
                    widen(hit, file);
                }
            }
            if self == Self::Lines {
                let most = if at == 0 { MAX_BEST_LINES } else { MAX_LINES };
                hit.content = excerpt(&hit.content, hit.line_start, hit.symbol_name.as_deref(), query, most);
            }
        }
        Ok(())
    }
}

/// Calls a hit by the symbol that answers, and gives that one's lines: a chunk may hold several, and has the name of one.
fn name_after_answer(hit: &mut Hit, file: &OutlinedFile, query: &str) {
    let meets = |symbol: &&Symbol| symbol.line <= hit.line_end && hit.line_start <= symbol.line_end;
    let here: Vec<&Symbol> = file.symbols.iter().filter(meets).collect();
    let n_lines = |symbol: &&&Symbol| symbol.line_end - symbol.line;
    let named =
        here.iter().filter(|symbol| Some(&symbol.name) == hit.symbol_name.as_ref()).min_by_key(n_lines);
    let lines: Vec<&str> = hit.content.lines().collect();
    let scores = line_scores(&lines, hit.symbol_name.as_deref(), query);
    let weight = |symbol: &Symbol| -> f32 {
        let lines = (hit.line_start..).zip(&scores);
        lines.filter(|(line, _)| (symbol.line..=symbol.line_end).contains(line)).map(|(_, score)| score).sum()
    };
    let enough = MOST_OF_ANSWER * scores.iter().sum::<f32>();
    let answering = here.iter().filter(|symbol| enough > 0.0 && weight(symbol) >= enough).min_by_key(n_lines);
    let Some(symbol) = answering.or(named) else { return };
    hit.symbol_lines = Some((symbol.line, symbol.line_end));
    if hit.symbol_name.as_ref() != Some(&symbol.name) {
        hit.symbol_name = Some(symbol.name.clone());
        hit.parent.clone_from(&symbol.parent);
    }
}

/// A symbol with so much of what the lines of a hit share with the query is what answers.
const MOST_OF_ANSWER: f32 = 0.7;

/// Lets the hit hold all of its symbol, unless that is too long.
fn widen(hit: &mut Hit, file: &OutlinedFile) {
    let Some((first, last)) = hit.symbol_lines else { return };
    let (first, last) = (first.min(hit.line_start), last.max(hit.line_end));
    if last - first >= MAX_SYMBOL_LINES {
        return;
    }
    let lines = file.text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    hit.content = lines.collect::<Vec<_>>().join("\n");
    (hit.line_start, hit.line_end) = (first, last);
}

/// The lines of `text`, whose first has the number `first`, that answer `query`, each with its number.
fn excerpt(text: &str, first: u32, symbol: Option<&str>, query: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let kept = telling_lines(text, symbol, query, most);
    let mut written = String::new();
    let mut next = 0;
    for at in kept {
        if at > next {
            written.push_str("…\n");
        }
        written.push_str(&format!("{}\t{}\n", first as usize + at, lines[at].trim_end()));
        next = at + 1;
    }
    if next < lines.len() {
        written.push_str("…\n");
    }
    written.pop();
    written
}

/// The lines of a hit's `text` that answer `query`, about `most` of them, numbered from 0; all of a text that is not longer.
pub fn telling_lines(text: &str, symbol: Option<&str>, query: &str, most: usize) -> BTreeSet<usize> {
    let lines: Vec<&str> = text.lines().collect();
    // What would be left out has to be worth the gap.
    match lines.len() <= most + 2 {
        true => (0..lines.len()).collect(),
        false => best_lines(&lines, symbol, query, most),
    }
}

/// What a word counts for that is part of the symbol's own name: all of its lines are about that.
const OWN_NAME: f32 = 0.3;

/// What an identifier of the query counts for where it stands whole.
const IDENTIFIER: f32 = 3.0;

/// How much each line of a text shares with a query.
fn line_scores(lines: &[&str], symbol: Option<&str>, query: &str) -> Vec<f32> {
    let own: BTreeSet<String> = symbol.into_iter().flat_map(stems).collect();
    let words: BTreeSet<String> = stems(query).filter(|word| !is_stop_word(word)).collect();
    let names: BTreeSet<&str> = runs(query)
        .map(|word| word.text)
        .filter(|name| Some(*name) != symbol && is_written_as_name(name))
        .collect();
    // Each line's words of the query with their weights; names stand beside words.
    let found: Vec<BTreeMap<String, f32>> = lines
        .iter()
        .map(|line| {
            let weight = |word: &String| if own.contains(word) { OWN_NAME } else { 1.0 };
            let shared = stems(line).filter(|word| words.contains(word));
            let mut found: BTreeMap<String, f32> = shared.map(|word| (word.clone(), weight(&word))).collect();
            let named = runs(line).map(|word| word.text).filter(|name| names.contains(name));
            found.extend(named.map(|name| (format!("`{name}"), IDENTIFIER)));
            found
        })
        .collect();
    let mut n_lines_with: HashMap<&str, f32> = HashMap::new();
    for word in found.iter().flat_map(BTreeMap::keys) {
        *n_lines_with.entry(word).or_default() += 1.0;
    }
    // A word that is on every line says nothing about one of them.
    let score = |found: &BTreeMap<String, f32>| {
        found.iter().map(|(word, weight)| weight / n_lines_with[word.as_str()].sqrt()).sum::<f32>()
    };
    found.iter().map(score).collect()
}

/// Whether a word of a query is spelled as names in code are: `at_position`, `maxAge`, `HTTPServer2`.
fn is_written_as_name(word: &str) -> bool {
    word.contains('_') || word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
}

fn best_lines(lines: &[&str], symbol: Option<&str>, query: &str, most: usize) -> BTreeSet<usize> {
    let scores = line_scores(lines, symbol, query);
    let head = head(lines, symbol);
    let has_text = |at: &usize| !lines[*at].trim().is_empty();
    let mut kept: BTreeSet<usize> = (head..lines.len()).filter(has_text).take(2).collect();
    let mut comments = (0..head).rev().take_while(|&at| is_comment(lines[at]));
    kept.extend(comments.by_ref().last().into_iter().flat_map(|top| (top..head).take(MAX_COMMENT_LINES)));
    let is_telling = |&at: &usize| {
        (at > head || !is_comment(lines[at])) && !is_import(lines[at]) && lines[at].trim().len() > 2
    };
    let mut order: Vec<usize> = (0..lines.len()).filter(is_telling).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    for at in order {
        // With its neighbours a line can be understood.
        let above = if at > head { at - 1 } else { at };
        let around =
            (above..=at + 1).filter(|&near| lines.get(near).is_some_and(|line| !line.trim().is_empty()));
        let new: Vec<usize> = around.filter(|near| !kept.contains(near)).collect();
        // Where both neighbours do not fit, the line alone may.
        match most.saturating_sub(kept.len()) {
            0 => break,
            left if new.len() <= left => kept.extend(new),
            _ => drop(kept.insert(at)),
        }
    }
    // A gap of one line is longer than the line.
    let holes =
        (head..lines.len()).filter(|at| *at > 0 && kept.contains(&(at - 1)) && kept.contains(&(at + 1)));
    let holes: Vec<usize> = holes.collect();
    kept.extend(holes);
    kept
}

/// The line that names the symbol, else the first that is neither import nor comment.
fn head(lines: &[&str], symbol: Option<&str>) -> usize {
    let is_code = |line: &str| !line.trim().is_empty() && !is_comment(line) && !is_import(line);
    let names = |line: &str| is_code(line) && symbol.is_some_and(|symbol| line.contains(symbol));
    let first = || lines.iter().position(|line| is_code(line));
    lines.iter().position(|line| names(line)).or_else(first).unwrap_or_default()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*", "#!", "# ", "--", ";;", "\"\"\"", "<!--"].iter().any(|mark| line.starts_with(mark))
}

fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    let begins = [
        "import ",
        "use ",
        "from ",
        "#include",
        "require",
        "package ",
        "using ",
        "pub use ",
        "@import",
        "<?php",
        "declare(",
        "namespace ",
    ];
    begins.iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_numbered_and_whole() {
        assert_eq!(
            excerpt("fn a() {\n    b();\n}\n", 7, Some("a"), "b", MAX_LINES),
            "7\tfn a() {\n8\t    b();\n9\t}"
        );
        assert_eq!(excerpt("", 1, None, "b", MAX_LINES), "");
    }

    #[test]
    fn another_definition_of_the_text_may_answer() {
        let body = "    step();\n".repeat(20);
        let text = format!("import os\ndef expire(sessions):\n    drop(sessions)\ndef resume():\n{body}");
        let given = excerpt(&text, 1, Some("resume"), "how do sessions expire", MAX_LINES);
        assert!(
            given.starts_with("…\n2\tdef expire(sessions):\n3\t    drop(sessions)\n4\tdef resume():"),
            "{given}"
        );
    }

    #[test]
    fn lines_in_scripts_without_spaces_are_compared_by_pairs() {
        let body: String = (0..30).map(|n| format!("    step_{n}();\n")).collect();
        let text = format!("fn purge() {{\n{body}    // 会话在三十分钟后过期\n    drop(old);\n}}\n");
        let given = excerpt(&text, 1, Some("purge"), "会话什么时候过期", MAX_LINES);
        assert!(given.contains("32\t    // 会话在三十分钟后过期"), "{given}");
    }

    #[test]
    fn an_identifier_of_the_query_is_shown_where_it_stands() {
        let body: String = (0..30).map(|n| format!("    tracks.add(track_{n});\n")).collect();
        let text = format!("fn add(tracks: Tracks) {{\n{body}    tracks.insert(at_position, track);\n}}\n");
        let given = excerpt(&text, 1, Some("add"), "how does Tracks.add use at_position", MAX_LINES);
        assert!(given.contains("32\t    tracks.insert(at_position, track);"), "{given}");
    }

    #[test]
    fn the_lines_that_share_most_with_the_query_are_given() {
        let body: String = (0..30).map(|n| format!("    step_{n}();\n")).collect();
        let text = format!(
            "use std::fs;\n/// One.\n/// Two.\n/// Three.\nfn close(pool: &Pool) {{\n{body}    pool.drain(timeout);\n}}\n"
        );
        let given = excerpt(&text, 1, Some("close"), "where is the timeout of draining", MAX_LINES);
        assert!(
            given.starts_with("…\n2\t/// One.\n3\t/// Two.\n…\n5\tfn close(pool: &Pool) {\n6\t"),
            "{given}"
        );
        assert!(given.contains("\n36\t    pool.drain(timeout);"), "{given}");
        assert!(given.lines().count() <= MAX_LINES + 4 && !given.contains("use std"), "{given}");
    }
}
