//! Guesses of what the code looks like.

/// Options of commands that accept guesses in addition to a question.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Guesses {
    /// Names that the code probably uses, up to 8 (separated by commas, or repeated)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,
    /// A line of code or comment that the code may contain, up to 3 (may be repeated)
    #[arg(long, value_name = "LINE")]
    code: Vec<String>,
}

impl From<Guesses> for craig_engine::Guesses {
    fn from(Guesses { names, code }: Guesses) -> Self {
        Self { names, code }
    }
}
