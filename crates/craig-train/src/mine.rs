//! `mine`: makes training pairs out of repositories.

mod comments;
mod extract;
mod git;
mod repositories;
mod sentences;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use craig_source::{FileStamp, Language, interpret};
use rayon::prelude::*;

use crate::pairs::{self, Kind, Pair};
use crate::random::hash;
use extract::Source;
use git::{Blob, Commit};
use repositories::Repository;

/// Files above this are tables or bundles.
const MAX_FILE_BYTES: u64 = 300_000;
/// Bytes of a repository that are looked at, files in random order.
const MAX_REPOSITORY_BYTES: u64 = 24_000_000;
const N_COMMITS: usize = 6_000;
const MAX_FILES_OF_COMMIT: usize = 3;

#[derive(Args)]
pub(crate) struct MineArguments {
    /// Repositories: owner/name, language, licence, bare git directory, commit, separated by tabs.
    #[arg(long)]
    repositories: PathBuf,
    /// Files to leave out: owner/name and path, separated by a tab.
    #[arg(long)]
    skip: PathBuf,
    /// Repositories that must not be among them, one a line.
    #[arg(long)]
    never_train: PathBuf,
    /// File to write.
    #[arg(long)]
    out: PathBuf,
    /// Decides which pairs are kept where there are too many.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &MineArguments) -> Result<()> {
    let repositories = repositories::load(&arguments.repositories, &arguments.never_train)?;
    let skipped = repositories::load_skipped(&arguments.skip)?;
    let none = HashSet::new();
    let mined = repositories
        .par_iter()
        .map(|repository| mine(repository, skipped.get(&repository.name).unwrap_or(&none), arguments.seed))
        .collect::<Result<Vec<_>>>()?;
    let kept = balanced(distinct(mined.into_iter().flatten().collect()), arguments.seed);
    report(&kept);
    pairs::write(&arguments.out, &kept)
}

/// The pairs of one repository, at most as many of each kind as its limit says.
fn mine(repository: &Repository, skipped: &HashSet<String>, seed: u64) -> Result<Vec<Pair>> {
    let commit = Commit { git_dir: repository.git_dir.clone(), id: repository.commit.clone() };
    let subjects = commit.subjects(N_COMMITS, MAX_FILES_OF_COMMIT)?;
    let mut contents = commit.contents()?;
    let mut found = Vec::new();
    for blob in chosen_files(&commit, &repository.name, skipped, seed)? {
        let bytes = contents.read(&blob.id).with_context(|| format!("cannot read {}", repository.name))?;
        if let Some(bytes) = bytes {
            found.extend(mine_file(&repository.name, &blob.path, bytes, &subjects));
        }
    }
    Ok(limited(found, seed, |pair| (pair.kind, String::new()), |(kind, _)| limit_of_repository(*kind)))
}

/// Files worth a look in random order, until there are enough bytes.
fn chosen_files(commit: &Commit, name: &str, skipped: &HashSet<String>, seed: u64) -> Result<Vec<Blob>> {
    let is_wanted = |blob: &Blob| {
        blob.size_bytes <= MAX_FILE_BYTES
            && (Language::from_path(&blob.path).is_some() || is_script(&blob.path))
            && repositories::is_own(&blob.path)
            && !skipped.contains(&blob.path)
    };
    let mut files: Vec<Blob> = commit.files()?.into_iter().filter(is_wanted).collect();
    files.sort_by_cached_key(|blob| hash(seed, &[name, &blob.path]));
    let mut n_bytes = 0;
    files.retain(|blob| {
        n_bytes += blob.size_bytes;
        n_bytes <= MAX_REPOSITORY_BYTES
    });
    Ok(files)
}

/// True for names without an extension: scripts are recognised by their first line.
fn is_script(path: &str) -> bool {
    !craig_text::path::name(path).contains('.')
}

fn mine_file(
    repository: &str,
    path: &str,
    bytes: Vec<u8>,
    subjects: &HashMap<String, Vec<String>>,
) -> Vec<Pair> {
    let stamp = FileStamp { size: bytes.len() as u64, modified_ns: 0, changed_ns: 0 };
    let file = interpret(path, stamp, bytes);
    // Minified and generated files and those with secrets have no indexed text.
    let Some(text) = file.indexed_text() else { return Vec::new() };
    let subjects = subjects.get(path).map_or(&[][..], Vec::as_slice);
    extract::pairs(&Source { repository, path, language: file.language, text, subjects })
}

fn limit_of_repository(kind: Kind) -> usize {
    match kind {
        Kind::Doc => 5_000,
        Kind::Detail | Kind::Name => 1_500,
        Kind::Purpose | Kind::File | Kind::Commit => 1_200,
        Kind::Section => 500,
        Kind::Test => 400,
    }
}

/// Pairs of one language and kind in all.
fn limit_of_language(kind: Kind) -> usize {
    match kind {
        Kind::Doc => 45_000,
        Kind::Purpose | Kind::File => 20_000,
        Kind::Detail | Kind::Name | Kind::Commit | Kind::Section => 12_000,
        Kind::Test => 4_000,
    }
}

/// Drops pairs whose question and text were seen, in whatever repository, or whose text was seen thrice.
fn distinct(all: Vec<Pair>) -> Vec<Pair> {
    let mut seen = HashSet::new();
    let mut n_of_text: HashMap<(Kind, u64), usize> = HashMap::new();
    let mut n_of_query: HashMap<u64, usize> = HashMap::new();
    let mut is_new = |pair: &Pair| {
        let query = hash(0, &[&pair.query.to_lowercase()]);
        let text = hash(0, &[&pair.text]);
        let n = n_of_text.entry((pair.kind, text)).or_default();
        *n += 1;
        let n_asked = n_of_query.entry(query).or_default();
        *n_asked += 1;
        *n <= 3 && *n_asked <= 12 && seen.insert((query, text))
    };
    all.into_iter().filter(|pair| is_new(pair)).collect()
}

/// Keeps the languages from outweighing each other.
fn balanced(all: Vec<Pair>, seed: u64) -> Vec<Pair> {
    limited(all, seed, |pair| (pair.kind, pair.language.clone()), |(kind, _)| limit_of_language(*kind))
}

/// Keeps at most `limit` pairs of each group, chosen by `seed`, in their order.
fn limited(
    all: Vec<Pair>,
    seed: u64,
    group: impl Fn(&Pair) -> (Kind, String),
    limit: impl Fn(&(Kind, String)) -> usize,
) -> Vec<Pair> {
    let mut places: HashMap<(Kind, String), Vec<(u64, usize)>> = HashMap::new();
    for (at, pair) in all.iter().enumerate() {
        let order = hash(seed, &[&pair.repository, &pair.path, &pair.query, &at.to_string()]);
        places.entry(group(pair)).or_default().push((order, at));
    }
    let mut is_kept = vec![false; all.len()];
    for (key, mut places) in places {
        places.sort_unstable();
        places.truncate(limit(&key));
        places.iter().for_each(|&(_, at)| is_kept[at] = true);
    }
    all.into_iter().zip(is_kept).filter_map(|(pair, kept)| kept.then_some(pair)).collect()
}

#[expect(clippy::print_stdout, reason = "the report is what a person looks at after mining")]
fn report(pairs: &[Pair]) {
    let mut counts: BTreeMap<&str, [usize; Kind::ALL.len()]> = BTreeMap::new();
    for pair in pairs {
        counts.entry(&pair.language).or_default()[pair.kind as usize] += 1;
    }
    let repositories: HashSet<&str> = pairs.iter().map(|pair| pair.repository.as_str()).collect();
    println!("{} pairs of {} repositories", pairs.len(), repositories.len());
    println!("{:<18} {}", "language", Kind::ALL.map(|kind| format!("{:>8}", format!("{kind:?}"))).join(""));
    for (language, counts) in counts {
        println!("{language:<18} {}", counts.map(|n| format!("{n:>8}")).join(""));
    }
}

#[cfg(test)]
mod tests;
