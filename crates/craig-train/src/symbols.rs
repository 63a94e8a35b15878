//! The graph of symbols against labels made by compilers and language servers (`evals/symbols/`).

#![expect(clippy::print_stdout, reason = "the measurements are the output")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use craig_source::{Root, SourceOptions, read, walk};
use craig_symbols::{SymbolGraph, SymbolIx, SymbolQuery};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

/// What to measure.
#[derive(Args)]
pub(crate) struct SymbolArguments {
    /// Files of labels.
    #[arg(required = true)]
    labels: Vec<PathBuf>,
    /// Folder with the repositories, each checked out under the name of its file of labels.
    #[arg(long)]
    corpora: PathBuf,
    /// Least confidence of a reference that counts, in percent.
    #[arg(long, default_value_t = 50)]
    confidence: u8,
    /// Print wrong and missing lines of symbols whose name contains this.
    #[arg(long)]
    show: Option<String>,
}

#[derive(Deserialize)]
struct Labels {
    language: String,
    symbols: Vec<Label>,
    #[serde(default)]
    skip: Vec<String>,
}

impl Labels {
    /// Whether the tool lists definitions that override or implement a symbol among its mentions: gopls, pyright and
    /// clangd do not.
    fn lists_overrides(&self) -> bool {
        !matches!(self.language.as_str(), "go" | "python" | "c" | "cpp")
    }
}

#[derive(Deserialize)]
struct Label {
    name: String,
    path: String,
    line: u32,
    kind: String,
    definitions: Vec<(String, u32)>,
    references: Vec<(String, u32, String)>,
    impact: Option<Vec<String>>,
    /// Lines that may or may not mention the symbol; `None` where they were not looked for, so that any other line may.
    unresolved: Option<Vec<(String, u32)>>,
}

/// Right, wrong and missing ones.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    missing: usize,
}

impl Counts {
    fn new<T: Ord>(found: &BTreeSet<T>, labelled: &BTreeSet<T>) -> Self {
        let right = found.intersection(labelled).count();
        Self { right, wrong: found.len() - right, missing: labelled.len() - right }
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
    }

    fn precision(&self) -> f64 {
        ratio(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        ratio(self.right, self.right + self.missing)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The counts of one repository.
#[derive(Default)]
struct Totals {
    symbols: usize,
    /// Symbols whose definition is first among those of their name.
    first: usize,
    /// Symbols that are named with what encloses them, and those of them whose definition is first.
    qualified: (usize, usize),
    references: Counts,
    calls: Counts,
    impact: Counts,
    /// Sums over symbols of precision and recall of references.
    by_symbol: (f64, f64),
}

pub(crate) fn run(arguments: &SymbolArguments) -> Result<()> {
    let mut by_language: BTreeMap<String, Vec<Totals>> = BTreeMap::new();
    println!(
        "repository            language    n  first  qualified  refs P / R     by symbol P / R  calls P / R    impact P / R   seconds"
    );
    for path in &arguments.labels {
        let name = path.file_stem().and_then(|stem| stem.to_str()).context("a file of labels has a name")?;
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let labels: Labels = serde_json::from_str(&text).with_context(|| format!("{}", path.display()))?;
        let texts = texts(&arguments.corpora.join(name))?;
        let started = std::time::Instant::now();
        let graph = SymbolGraph::from_texts(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let seconds = started.elapsed().as_secs_f64();
        let mut totals = Totals::default();
        let lists_overrides = labels.lists_overrides();
        let skip = globs(&labels.skip)?;
        for label in &labels.symbols {
            measure(&graph, label, (&skip, lists_overrides), arguments, &texts, &mut totals);
        }
        print(name, &labels.language, &totals, seconds);
        by_language.entry(labels.language).or_default().push(totals);
    }
    let n = by_language.len() as f64;
    let mean = |value: &dyn Fn(&Totals) -> f64| {
        let of_language = |all: &Vec<Totals>| all.iter().map(value).sum::<f64>() / all.len() as f64;
        by_language.values().map(of_language).sum::<f64>() / n
    };
    println!(
        "macro over languages: first {:.3} (qualified {:.3})  references {:.3} / {:.3}  by symbol {:.3} / {:.3}  calls {:.3} / {:.3}  impact {:.3} / {:.3}",
        mean(&|t| ratio(t.first, t.symbols)),
        mean(&|t| ratio(t.qualified.1, t.qualified.0)),
        mean(&|t| t.references.precision()),
        mean(&|t| t.references.recall()),
        mean(&|t| t.by_symbol.0 / t.symbols as f64),
        mean(&|t| t.by_symbol.1 / t.symbols as f64),
        mean(&|t| t.calls.precision()),
        mean(&|t| t.calls.recall()),
        mean(&|t| t.impact.precision()),
        mean(&|t| t.impact.recall()),
    );
    Ok(())
}

fn print(name: &str, language: &str, totals: &Totals, seconds: f64) {
    let n = totals.symbols as f64;
    println!(
        "{name:<20} {language:>10} {:4}  {:.3}  {:.3}      {:.3} / {:.3}  {:.3} / {:.3}    {:.3} / {:.3}  {:.3} / {:.3}  {:.2}",
        totals.symbols,
        ratio(totals.first, totals.symbols),
        ratio(totals.qualified.1, totals.qualified.0),
        totals.references.precision(),
        totals.references.recall(),
        totals.by_symbol.0 / n,
        totals.by_symbol.1 / n,
        totals.calls.precision(),
        totals.calls.recall(),
        totals.impact.precision(),
        totals.impact.recall(),
        seconds,
    );
}

fn texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let root = Root::open(folder).with_context(|| format!("{}", folder.display()))?;
    let options = SourceOptions::default();
    let listing = walk(&root, &options)?;
    let mut texts = BTreeMap::new();
    for entry in &listing.entries {
        if let Ok(file) = read(&root, &entry.path, &options)
            && let Some(text) = file.indexed_text()
        {
            texts.insert(entry.path.clone(), text.to_owned());
        }
    }
    Ok(texts)
}

/// The files that are no part of the truth. As in Python's `fnmatch`, `*` goes over slashes.
fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut all = GlobSetBuilder::new();
    for pattern in patterns {
        all.add(Glob::new(pattern)?);
    }
    Ok(all.build()?)
}

fn measure(
    graph: &SymbolGraph,
    label: &Label,
    (skip, lists_overrides): (&GlobSet, bool),
    arguments: &SymbolArguments,
    texts: &BTreeMap<String, String>,
    totals: &mut Totals,
) {
    let found = SymbolQuery::parse(&label.name).map(|query| graph.find(&query)).unwrap_or_default();
    let place = |at: SymbolIx| {
        let definition = &graph.definitions[at as usize];
        (graph.files[definition.file as usize].path.clone(), definition.line)
    };
    let labelled: BTreeSet<(String, u32)> = label.definitions.iter().cloned().collect();
    let is_labelled = |at: &SymbolIx| labelled.contains(&place(*at));
    totals.symbols += 1;
    let is_first = found.first().is_some_and(is_labelled);
    totals.first += usize::from(is_first);
    // The symbol itself is measured, whatever else has its name.
    let mut symbols: Vec<SymbolIx> =
        (0..graph.definitions.len() as SymbolIx).filter(|at| is_labelled(at)).collect();
    let last = label.name.rsplit(['.', ':', '#', '\\', ')']).next().unwrap_or_default();
    if last != label.name {
        totals.qualified.0 += 1;
        totals.qualified.1 += usize::from(is_first);
    }
    symbols.retain(|&at| graph.definitions[at as usize].name == last);
    let is_skipped = |path: &str| skip.is_match(path);
    let sure: Vec<_> = symbols
        .iter()
        .flat_map(|&at| graph.references_to(at))
        .filter(|found| found.confidence >= arguments.confidence)
        .filter(|found| lists_overrides || !graph.is_definition(found))
        .collect();
    let line_of =
        |found: &craig_symbols::SymbolReference| (graph.files[found.file as usize].path.clone(), found.line);
    let unresolved: BTreeSet<(String, u32)> = label.unresolved.iter().flatten().cloned().collect();
    let mentioned: BTreeSet<(String, u32)> =
        label.references.iter().map(|(path, line, _)| (path.clone(), *line)).collect();
    let is_open = |line: &(String, u32)| {
        (label.unresolved.is_none() || unresolved.contains(line)) && !mentioned.contains(line)
    };
    let kept = |line: &(String, u32)| !labelled.contains(line) && !is_skipped(&line.0) && !is_open(line);
    let lines: BTreeSet<(String, u32)> = sure.iter().map(|found| line_of(found)).filter(kept).collect();
    let truth: BTreeSet<(String, u32)> = mentioned.iter().filter(|line| kept(line)).cloned().collect();
    let counts = Counts::new(&lines, &truth);
    totals.references.add(counts);
    totals.by_symbol.0 += counts.precision();
    totals.by_symbol.1 += counts.recall();
    let calls = sure.iter().filter(|found| found.role.as_str() == "call");
    let calls: BTreeSet<(String, u32)> = calls.map(|found| line_of(found)).filter(kept).collect();
    let labelled_calls = label.references.iter().filter(|(_, _, role)| role == "call");
    let labelled_calls: BTreeSet<(String, u32)> =
        labelled_calls.map(|(path, line, _)| (path.clone(), *line)).filter(kept).collect();
    totals.calls.add(Counts::new(&calls, &labelled_calls));
    if let Some(impact) = &label.impact {
        let reached = graph.impact(&symbols, 3, arguments.confidence);
        let reached = reached.iter().map(|found| graph.files[found.file as usize].path.clone());
        // A file that may mention the symbol may or may not be reached.
        let is_open =
            |path: &String| unresolved.iter().any(|(other, _)| other == path) && !impact.contains(path);
        let reached: BTreeSet<String> = reached.filter(|path| !is_skipped(path) && !is_open(path)).collect();
        let labelled: BTreeSet<String> = impact.iter().cloned().collect();
        if arguments.show.as_ref().is_some_and(|part| label.name.contains(part.as_str())) {
            let beyond: Vec<_> = reached.difference(&labelled).take(4).collect();
            let unreached: Vec<_> = labelled.difference(&reached).take(4).collect();
            println!(
                "  impact of {}: {} found, {} labelled, beyond {beyond:?}, unreached {unreached:?}",
                label.name,
                reached.len(),
                labelled.len()
            );
        }
        totals.impact.add(Counts::new(&reached, &labelled));
    }
    if arguments.show.as_ref().is_some_and(|part| label.name.contains(part.as_str())) {
        show(label, symbols.len(), found.first().map(|&at| place(at)), &lines, &truth, texts);
    }
}

fn show(
    label: &Label,
    n_symbols: usize,
    first: Option<(String, u32)>,
    lines: &BTreeSet<(String, u32)>,
    truth: &BTreeSet<(String, u32)>,
    texts: &BTreeMap<String, String>,
) {
    println!(
        "  {} {} {}:{} ({n_symbols} found, first {first:?})",
        label.kind, label.name, label.path, label.line
    );
    let text = |(path, line): &(String, u32)| {
        let text = texts.get(path).and_then(|text| text.lines().nth(*line as usize - 1));
        text.unwrap_or_default().trim().chars().take(110).collect::<String>()
    };
    for line in lines.difference(truth).take(12) {
        println!("    wrong   {}:{} {}", line.0, line.1, text(line));
    }
    for line in truth.difference(lines).take(12) {
        println!("    missing {}:{} {}", line.0, line.1, text(line));
    }
}
