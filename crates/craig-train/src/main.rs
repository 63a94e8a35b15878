//! Evaluates Craig's retrieval and trains its models. A developer's tool: it is not part of the product.

mod ablation;
mod adam;
mod answered;
mod boost;
mod context;
mod corpus;
mod dense;
mod dialogues;
mod dump;
mod eval;
mod explain;
mod fit;
mod fit_chunks;
mod ivf;
mod lines;
mod metrics;
mod mine;
mod misses;
mod model;
mod pairs;
mod pinned;
mod questions;
mod random;
mod report;
mod rerank;
mod symbols;
mod train;
mod tune;
mod unrelated;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run labelled questions through the engine and print how well they are answered.
    Eval(eval::EvalArguments),
    /// Measure references, calls and impact of symbols against those of compilers and language servers.
    Symbols(symbols::SymbolArguments),
    /// Measure the context that chats and inline edits are given.
    Context(context::ContextArguments),
    /// Measure how often the context of chats and edits shows the lines that answer.
    Lines(lines::LinesArguments),
    /// Count which messages of conversations get context.
    Dialogues(dialogues::DialoguesArguments),
    /// Fit the ranker and its probability of relevance, and measure both on repositories held out.
    Fit(fit::FitArguments),
    /// Fit the weights of the ranker for reports, such as the texts of issues.
    FitReports(fit::reports::FitReportsArguments),
    /// Fit the ranker of chunks and its probability of relevance, and measure both on repositories held out.
    FitChunks(fit_chunks::FitChunksArguments),
    /// Write what the ranker sees of every candidate as a table.
    Features {
        #[command(flatten)]
        corpus: corpus::Corpus,
        /// Questions to ask of each repository.
        #[arg(long, value_enum, default_value = "own")]
        asked: dump::Asked,
        /// File to write, tab-separated.
        #[arg(long)]
        out: std::path::PathBuf,
    },
    /// Measure weights that are not compiled in on labelled questions, by their vectors alone.
    Dense(dense::DenseArguments),
    /// Measure explanations of labelled definitions, and fit the ranker of passages.
    Explain(explain::ExplainArguments),
    /// Measure the built-in ranking of texts on results that other searches found.
    Rerank(rerank::RerankArguments),
    /// Make the centroids of the IVF lists of large indexes.
    Ivf(ivf::IvfArguments),
    /// Make training pairs out of repositories.
    Mine(mine::MineArguments),
    /// Train the built-in embedding on pairs.
    Train(train::TrainArguments),
    /// Fit the vectors of words in questions to questions in other words than the code's.
    Tune(tune::TuneArguments),
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Symbols(arguments) => symbols::run(&arguments),
        Command::Context(arguments) => context::run(&arguments),
        Command::Lines(arguments) => lines::run(&arguments),
        Command::Dialogues(arguments) => dialogues::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::FitReports(arguments) => fit::reports::run(&arguments),
        Command::FitChunks(arguments) => fit_chunks::run(&arguments),
        Command::Features { corpus, asked, out } => dump::run(&corpus, asked, &out),
        Command::Dense(arguments) => dense::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Rerank(arguments) => rerank::run(&arguments),
        Command::Ivf(arguments) => ivf::run(&arguments),
        Command::Mine(arguments) => mine::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
    }
}
