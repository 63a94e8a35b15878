//! `craig grep`: the lines of a project that match a regular expression.

mod text;

use craig_engine::{Case, GrepRequest};

use super::failure::Outcome;
use super::filters::Filters;
use super::project_selector::ProjectOptions;
use super::session::Session;
use super::units::{count, counted, limit_or_all};

/// Print the lines of a project that match a regular expression; ingests the directory first if necessary
///
/// Searches the index: secrets are masked, and ignored and binary files are skipped. The exit code is 1 if no line
/// matches.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Regular expression in the syntax of ripgrep; a match never spans lines
    pattern: String,
    /// Ignore case
    #[arg(long, short)]
    ignore_case: bool,
    /// Ignore case if the pattern has no capital letter
    #[arg(long, short = 'S', conflicts_with = "ignore_case")]
    smart_case: bool,
    /// Match only whole words
    #[arg(long, short)]
    word_regexp: bool,
    /// Search for this exact text instead of a regular expression
    #[arg(long, short = 'F')]
    fixed_strings: bool,
    /// Show N lines before and after each match
    #[arg(long, short = 'C', value_name = "N")]
    context: Option<usize>,
    /// Show N lines before each match
    #[arg(long, short = 'B', value_name = "N")]
    before_context: Option<usize>,
    /// Show N lines after each match
    #[arg(long, short = 'A', value_name = "N")]
    after_context: Option<usize>,
    /// Maximum number of lines or files to show; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = GrepRequest::default().limit)]
    limit: usize,
    /// Print only the paths of files that match
    #[arg(long)]
    files_with_matches: bool,
    /// Print only the paths of files that match, each with its number of matching lines
    #[arg(long, short, conflicts_with = "files_with_matches")]
    count: bool,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    from: ProjectOptions,
}

impl Args {
    fn request(&self) -> GrepRequest {
        let around = self.context.unwrap_or_default();
        GrepRequest {
            case: match (self.ignore_case, self.smart_case) {
                (true, _) => Case::Insensitive,
                (_, true) => Case::Smart,
                _ => Case::Sensitive,
            },
            whole_words: self.word_regexp,
            literal: self.fixed_strings,
            limit: limit_or_all(self.limit),
            before: self.before_context.unwrap_or(around),
            after: self.after_context.unwrap_or(around),
            languages: self.filters.language.clone(),
            path: self.filters.path.clone(),
            kind: self.filters.kind,
            ..GrepRequest::default()
        }
    }

    /// `shop`, or `shop with --path src`.
    fn searched(&self, project: &str) -> String {
        match self.filters.given() {
            given if given.is_empty() => project.to_owned(),
            given => format!("{project} with {given}"),
        }
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut request = args.request();
    request.check(&args.pattern)?;
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    request.folder = args.from.selector().folder(&engine, &project)?;
    let n_found = if args.files_with_matches || args.count {
        let answer = engine.grep_counts(&project, &args.pattern, &request)?;
        session.output.show(&answer, |_| text::files(&answer, args.count))?;
        answer.notes.iter().for_each(|note| session.output.warn(note));
        let searched = args.searched(&answer.project);
        note(answer.files.len() as u64, answer.total_files, "file", &searched, session);
        answer.total_files
    } else {
        let answer = engine.grep(&project, &args.pattern, &request)?;
        session.output.show(&answer, |_| text::lines(&answer))?;
        answer.notes.iter().for_each(|note| session.output.warn(note));
        let searched = args.searched(&answer.project);
        note(answer.lines.len() as u64, answer.total_lines, "line", &searched, session);
        answer.total_lines
    };
    Ok(prepared.and(if n_found > 0 { Outcome::Complete } else { Outcome::NothingFound }))
}

/// Reports on stderr how much is not shown, and how to show it.
fn note(n_shown: u64, total: u64, noun: &str, searched: &str, session: &mut Session) {
    if total == 0 {
        session.output.note(format_args!(
            "no line matches in {searched}; -i ignores case, 'craig search' finds code by meaning"
        ));
    } else if n_shown < total {
        let (more, total) = (count(total - n_shown), counted(total, noun));
        session.output.note(format_args!("{more} more of {total}: -n 0 shows all"));
    }
}
