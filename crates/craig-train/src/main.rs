//! Evaluates Craig's retrieval and trains its models. A developer's tool: it is not part of the product.

mod eval;
mod metrics;
mod questions;

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
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Eval(arguments) => eval::run(&arguments),
    }
}
