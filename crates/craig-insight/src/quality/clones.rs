//! Duplicated code: fingerprints of token runs, selected by winnowing and extended as far as the tokens match.
//!
//! Source: Schleimer, Wilkerson & Aiken, SIGMOD 2003. Any common run of `RUN + WINDOW - 1` tokens is found.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::{Measured, rounded};

/// Tokens of a fingerprint.
pub(super) const RUN: usize = 40;

/// Winnowing keeps one fingerprint in each window of this size.
const WINDOW: usize = 21;

/// Minimum size of a clone.
pub(super) const LEAST_TOKENS: usize = 60;
const LEAST_LINES: u32 = 6;

/// Most places of one fingerprint that are compared: if there are more, it is boilerplate.
const MOST_PLACES: usize = 32;

/// Most clones reported.
const MOST_CLONES: usize = 1_000;

/// Code that occurs in several places.
#[derive(std::clone::Clone, Debug, Serialize, Deserialize)]
pub struct Duplication {
    /// Lines of product code that also occur elsewhere in it, each counted once.
    pub duplicated_lines: u64,
    /// Their share of all lines of product code, in percent.
    pub percent: f64,
    /// Lines of tests that also occur elsewhere, in tests or in product code.
    pub test_duplicated_lines: u64,
    /// Their share of all lines of tests, in percent.
    pub test_percent: f64,
    /// The clones, by descending number of lines in all places; at most 1,000.
    pub clones: Vec<Clone>,
}

/// A piece of code with all its places.
#[derive(std::clone::Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clone {
    /// Number of matching tokens.
    pub tokens: usize,
    /// Lines of the first place.
    pub lines: u32,
    /// Whether all places are tests.
    pub in_tests: bool,
    /// Where, by path and line.
    pub places: Vec<ClonePlace>,
}

/// Lines of a file.
#[derive(std::clone::Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClonePlace {
    /// Path.
    pub file: String,
    /// First line, 1-based.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
}

/// A token by its file and its number in it.
type At = (u32, u32);

/// A run of tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    file: u32,
    start: u32,
    end: u32,
}

pub(super) fn duplication(measured: &[Measured]) -> Duplication {
    let mut classes: BTreeMap<(usize, u64), BTreeSet<Run>> = BTreeMap::new();
    for (a, b) in pairs(measured) {
        let hashes = &measured[a.file as usize].tokens.hashes[a.start as usize..a.end as usize];
        let class = classes.entry((hashes.len(), fingerprint(hashes))).or_default();
        class.insert(a);
        class.insert(b);
    }
    classes.values_mut().for_each(|runs| leave_out_overlaps(measured, runs));
    let is_test = |run: &&Run| is_test(measured, **run);
    let product = classes.values().flat_map(|runs| {
        let product: Vec<&Run> = runs.iter().filter(|run| !is_test(run)).collect();
        if product.len() > 1 { product } else { Vec::new() }
    });
    let duplicated_lines = lines_of(measured, product);
    let several = classes.values().filter(|runs| runs.len() > 1);
    let test_duplicated_lines = lines_of(measured, several.flatten().filter(is_test));
    let mut clones: Vec<Clone> =
        classes.iter().filter_map(|((tokens, _), runs)| clone_from_runs(measured, *tokens, runs)).collect();
    clones.sort_by_key(|clone| {
        let lines = u64::from(clone.lines) * clone.places.len() as u64;
        (clone.in_tests, std::cmp::Reverse(lines), clone.places.clone())
    });
    clones.truncate(MOST_CLONES);
    let lines: u64 = measured.iter().map(|file| u64::from(file.lines)).sum();
    let test_lines: u64 = measured.iter().map(Measured::test_lines).sum();
    let share = |duplicated: u64, lines: u64| rounded(100.0 * duplicated as f64 / lines.max(1) as f64);
    Duplication {
        duplicated_lines,
        percent: share(duplicated_lines, lines - test_lines),
        test_duplicated_lines,
        test_percent: share(test_duplicated_lines, test_lines),
        clones,
    }
}

fn is_test(measured: &[Measured], run: Run) -> bool {
    let file = &measured[run.file as usize];
    let (first, _) = line_range(measured, run);
    file.is_test || file.inner_tests.as_ref().is_some_and(|lines| lines.contains(&first))
}

/// A piece of a file is no copy of another one that shares a line with it.
fn leave_out_overlaps(measured: &[Measured], runs: &mut BTreeSet<Run>) {
    let mut end = (u32::MAX, 0);
    runs.retain(|&run| {
        let (first, last) = line_range(measured, run);
        let is_apart = end.0 != run.file || first > end.1;
        if is_apart {
            end = (run.file, last);
        }
        is_apart
    });
}

/// Pairs of equal runs of maximal length.
fn pairs(measured: &[Measured]) -> Vec<(Run, Run)> {
    let mut places: HashMap<u64, Vec<At>> = HashMap::new();
    for (file, measured) in measured.iter().enumerate() {
        for (at, print) in winnowed(&measured.tokens.hashes) {
            places.entry(print).or_default().push((file as u32, at as u32));
        }
    }
    let mut groups: Vec<Vec<At>> = places.into_values().filter(|places| places.len() > 1).collect();
    groups.iter_mut().for_each(|group| group.truncate(MOST_PLACES));
    groups.sort();
    let mut found = Vec::new();
    // How far each diagonal between two files is known already.
    let mut known: HashMap<(u32, u32, i64), u32> = HashMap::new();
    for group in groups {
        for (n, &a) in group.iter().enumerate() {
            for &b in &group[n + 1..] {
                let diagonal = (a.0, b.0, i64::from(b.1) - i64::from(a.1));
                if known.get(&diagonal).is_some_and(|&end| a.1 < end) {
                    continue;
                }
                if let Some((a, b)) = extended(measured, a, b) {
                    known.insert(diagonal, a.end);
                    if is_clone(measured, a) {
                        found.push((a, b));
                    }
                }
            }
        }
    }
    found
}

/// Fingerprints of the runs of a file: the least of each window.
fn winnowed(hashes: &[u32]) -> Vec<(usize, u64)> {
    if hashes.len() < LEAST_TOKENS {
        return Vec::new();
    }
    let prints = rolling(hashes);
    let mut kept: Vec<(usize, u64)> = Vec::new();
    for (start, window) in prints.windows(WINDOW.min(prints.len())).enumerate() {
        let Some((at, &print)) =
            window.iter().enumerate().min_by_key(|(at, print)| (**print, std::cmp::Reverse(*at)))
        else {
            continue;
        };
        if kept.last().is_none_or(|(last, _)| *last != start + at) {
            kept.push((start + at, print));
        }
    }
    kept
}

/// Rabin–Karp hashes of all runs.
fn rolling(hashes: &[u32]) -> Vec<u64> {
    const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut out_factor = 1u64;
    for _ in 1..RUN {
        out_factor = out_factor.wrapping_mul(BASE);
    }
    let mut value = 0u64;
    let mut prints = Vec::with_capacity(hashes.len());
    for (at, &hash) in hashes.iter().enumerate() {
        if at >= RUN {
            value = value.wrapping_sub(u64::from(hashes[at - RUN]).wrapping_mul(out_factor));
        }
        value = value.wrapping_mul(BASE).wrapping_add(u64::from(hash));
        if at + 1 >= RUN {
            // The high bits mix best.
            prints.push(value ^ (value >> 29));
        }
    }
    prints
}

fn fingerprint(hashes: &[u32]) -> u64 {
    hashes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |value, hash| (value ^ u64::from(*hash)).wrapping_mul(0x100_0000_01b3))
}

/// Two equal runs, extended in both directions; `None` if they are not equal, or overlap.
fn extended(measured: &[Measured], a: At, b: At) -> Option<(Run, Run)> {
    let (left, right) = (&measured[a.0 as usize].tokens.hashes, &measured[b.0 as usize].tokens.hashes);
    let (x, y) = (a.1 as usize, b.1 as usize);
    let room = if a.0 == b.0 { y - x } else { usize::MAX };
    let forward = left[x..].iter().zip(&right[y..]).take(room).take_while(|(a, b)| a == b).count();
    if forward < RUN {
        return None;
    }
    let backward = left[..x]
        .iter()
        .rev()
        .zip(right[..y].iter().rev())
        .take(room - forward.min(room))
        .take_while(|(a, b)| a == b)
        .count();
    let run = |at: At| Run { file: at.0, start: at.1 - backward as u32, end: at.1 + forward as u32 };
    Some((run(a), run(b)))
}

fn is_clone(measured: &[Measured], run: Run) -> bool {
    let (first, last) = line_range(measured, run);
    (run.end - run.start) as usize >= LEAST_TOKENS && last - first + 1 >= LEAST_LINES
}

fn line_range(measured: &[Measured], run: Run) -> (u32, u32) {
    let lines = &measured[run.file as usize].tokens.lines;
    (lines[run.start as usize], lines[run.end as usize - 1])
}

fn clone_from_runs(measured: &[Measured], tokens: usize, runs: &BTreeSet<Run>) -> Option<Clone> {
    let places = runs.iter().map(|&run| {
        let (line_start, line_end) = line_range(measured, run);
        ClonePlace { file: measured[run.file as usize].path.clone(), line_start, line_end }
    });
    let places: Vec<ClonePlace> = places.collect();
    let first = places.first().filter(|_| places.len() > 1)?;
    Some(Clone {
        tokens,
        lines: first.line_end - first.line_start + 1,
        in_tests: runs.iter().all(|&run| is_test(measured, run)),
        places,
    })
}

/// Lines of all runs, each line of a file once.
fn lines_of<'r>(measured: &[Measured], runs: impl Iterator<Item = &'r Run>) -> u64 {
    let mut ranges: Vec<(u32, u32, u32)> = runs
        .map(|&run| {
            let (first, last) = line_range(measured, run);
            (run.file, first, last)
        })
        .collect();
    ranges.sort_unstable();
    let mut lines = 0;
    let mut end = (u32::MAX, 0);
    for (file, first, last) in ranges {
        let from = if end.0 == file { first.max(end.1 + 1) } else { first };
        if last >= from {
            lines += u64::from(last - from + 1);
            end = (file, last);
        }
    }
    lines
}
