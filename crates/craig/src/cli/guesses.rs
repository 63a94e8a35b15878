//! What the user expects the code to look like.

/// Options of commands that take guesses beside a question.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Guesses {
    /// Names that the code probably uses, up to 8 (separated by commas, or repeated)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,
    /// A line of code or comment as it may be in the code, up to 3 (may be repeated)
    #[arg(long, value_name = "LINE")]
    code: Vec<String>,
}

impl From<Guesses> for craig_engine::Guesses {
    fn from(Guesses { names, code }: Guesses) -> Self {
        Self { names, code }
    }
}
