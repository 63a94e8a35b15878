//! `dense`: measures a model that is not compiled in on labelled questions, by its vectors alone.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use craig_model::{Embedding, StaticModel};
use rayon::prelude::*;

use crate::corpus::outlines;
use crate::metrics::{mean, ndcg};
use crate::questions::{self, Question, Repository};

#[derive(Args)]
pub(crate) struct DenseArguments {
    /// Folder with weights and vocabulary.
    #[arg(long)]
    model: PathBuf,
    /// File of labelled questions.
    #[arg(long)]
    questions: PathBuf,
    /// Folder with the repositories, each checked out under its name.
    #[arg(long)]
    corpora: PathBuf,
}

/// What a file is scored by.
const SCORES: [&str; 4] = ["text", "label", "path", "all four"];

/// One file, embedded as the engine does.
struct File {
    path: String,
    chunks: Vec<Chunk>,
    names: Embedding,
    path_vector: Embedding,
}

struct Chunk {
    lines: (u32, u32),
    text: Embedding,
    /// Of its path and what it is called.
    label: Embedding,
}

pub(crate) fn run(arguments: &DenseArguments) -> Result<()> {
    let model = crate::model::load(&arguments.model)?;
    let mut by_repository = Vec::new();
    for repository in questions::load(&arguments.questions)? {
        let files = files(model, &repository.folder(&arguments.corpora))?;
        let values = repository.queries.iter().map(|question| scores(model, &files, question));
        let values: Vec<[f64; SCORES.len()]> = values.collect();
        let means = std::array::from_fn(|score| mean(values.iter().map(|value| value[score])));
        by_repository.push((repository, means));
    }
    report(&by_repository);
    Ok(())
}

fn files(model: &StaticModel, folder: &std::path::Path) -> Result<Vec<File>> {
    outlines(folder, |path, outline, text| file(model, path, outline, text))
}

fn file(model: &StaticModel, path: &str, outline: &craig_chunk::Outline, text: &str) -> File {
    let chunk = |chunk: &craig_chunk::Chunk| {
        let lines = chunk.line_start..=chunk.line_end;
        let defined = outline.symbols.iter().filter(|symbol| lines.contains(&symbol.line));
        let names = [Some(path), chunk.parent.as_deref(), chunk.symbol_name.as_deref()].into_iter().flatten();
        let label: Vec<&str> = names.chain(defined.map(|symbol| symbol.name.as_str())).collect();
        Chunk {
            lines: (chunk.line_start, chunk.line_end),
            text: model.document(chunk.text(text)),
            label: model.document(&label.join("\n")),
        }
    };
    let names: Vec<&str> = outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    File {
        path: path.to_owned(),
        chunks: outline.chunks.iter().map(chunk).collect(),
        names: model.document(&names.join(" ")),
        path_vector: model.document(path),
    }
}

/// NDCG@10 of one question by each of [`SCORES`].
fn scores(model: &StaticModel, files: &[File], question: &Question) -> [f64; SCORES.len()] {
    let query = model.query(&question.query);
    let by_score: Vec<[f32; SCORES.len()]> = files.par_iter().map(|file| file.scores(&query)).collect();
    std::array::from_fn(|score| {
        let mut order: Vec<usize> = (0..files.len()).filter(|&at| !files[at].chunks.is_empty()).collect();
        order.sort_by(|&a, &b| by_score[b][score].total_cmp(&by_score[a][score]));
        let rank = |target: &questions::Target| {
            let is_found = |&at: &usize| target.matches(&files[at].path, files[at].best_lines(&query));
            order.iter().take(10).position(is_found).map_or(0, |at| at + 1)
        };
        ndcg(&question.targets().map(rank).collect::<Vec<_>>(), 10)
    })
}

impl File {
    fn scores(&self, query: &Embedding) -> [f32; SCORES.len()] {
        let best = |part: fn(&Chunk) -> &Embedding| {
            self.chunks.iter().map(|chunk| query.cosine(part(chunk))).fold(f32::MIN, f32::max)
        };
        let (text, label) = (best(|chunk| &chunk.text), best(|chunk| &chunk.label));
        let (path, names) = (query.cosine(&self.path_vector), query.cosine(&self.names));
        [text, label, path, text + label + 0.6 * (path + names)]
    }

    fn best_lines(&self, query: &Embedding) -> (u32, u32) {
        let score = |chunk: &&Chunk| query.cosine(&chunk.text);
        let best = self.chunks.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
        best.map_or((0, 0), |chunk| chunk.lines)
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn report(by_repository: &[(Repository, [f64; SCORES.len()])]) {
    let line = |name: &str, values: [f64; SCORES.len()]| {
        println!("{name:<24} {}", values.map(|value| format!("{value:>9.4}")).join(""));
    };
    println!("{:<24} {}", "NDCG@10", SCORES.map(|score| format!("{score:>9}")).join(""));
    by_repository.iter().for_each(|(repository, values)| line(&repository.name, *values));
    line("mean", std::array::from_fn(|score| mean(by_repository.iter().map(|(_, values)| values[score]))));
}
