//! `craig explain`: explains code from the project's own documentation.

mod batch;

use std::path::{Path, PathBuf};

use craig_engine::{
    Cancellation, CodeDefinitions, Comment, Config, EmbedderConfig, Engine, EngineError, ExplainConfig,
    Explained, Explainer, ExplanationKind, IndexReport, NOT_DOCUMENTED, PackageExplanation, PackageQuote,
    Selection, WordsStatus, working_tree_of,
};

use self::batch::SelectionLine;
use super::failure::{Outcome, Refusal};
use super::output::{DIM, PATH, styled};
use super::project_selector::ProjectSelector;
use super::session::Session;
use super::units::percent;

/// Explain code from the project's documentation, with citations, or report that it is not documented
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "craig explain [OPTIONS] <FILE>[:L1[-L2]]\n       craig explain [OPTIONS] --batch <FILE>"
)]
pub(crate) struct Args {
    /// File to explain, optionally with lines: src/client.js:10-20
    #[arg(value_name = "FILE[:L1[-L2]]", required_unless_present = "batch", conflicts_with = "batch")]
    place: Option<String>,
    /// Read selections from a file, or from stdin with '-': one JSON object per line,
    /// {"file": "…", "line_start": 1, "line_end": 9}
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Directory of the project whose documentation is read [default: the ingested project or the git working tree that
    /// holds the file, else the current directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Answer from the indexed documentation without checking for changed files
    #[arg(long)]
    no_refresh: bool,
    /// Let the configured language model rephrase the answer; only sentences that the documentation supports are kept
    #[arg(long, overrides_with = "no_model")]
    model: bool,
    /// Quote the documentation even if explain.language_model is set
    #[arg(long)]
    no_model: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.batch {
        let lines = super::batch::open::<SelectionLine>(file)?;
        let root = args.root_for(Path::new("."), session);
        let explainer = prepare(args, &root, session)?;
        return super::batch::run(lines, &mut session.output, |line: &SelectionLine| {
            explainer.explain(&args.located(line.selection(), &root))
        });
    }
    let selection = selection(args.place.as_deref().unwrap_or_default())?;
    let place = if selection.file.exists() { &selection.file } else { Path::new(".") };
    let root = args.root_for(place, session);
    let selection = args.located(selection, &root);
    let explainer = prepare(args, &root, session)?;
    let explained = explainer.explain(&selection)?;
    warn_of_fallback(&explained, session);
    session.output.show(&explained, |_| text(&explained))?;
    if !explained.explanation.has_relevant_docs && explained.packages.is_empty() {
        note_packages(&explainer.packages_to_add(&selection)?, session);
    }
    Ok(Outcome::Complete)
}

impl Args {
    /// The named root, or otherwise the one around `place`.
    fn root_for(&self, place: &Path, session: &Session) -> PathBuf {
        self.root.clone().unwrap_or_else(|| root_around(place, session))
    }

    /// A relative file starts at the named root, or otherwise at the working directory; if there is no such file, at the
    /// other one.
    fn located(&self, selection: Selection, root: &Path) -> Selection {
        let is_here =
            selection.file.exists() && (self.root.is_none() || !root.join(&selection.file).exists());
        match std::path::absolute(&selection.file) {
            Ok(file) if is_here => Selection { file, ..selection },
            _ => selection,
        }
    }
}

/// The directory of the project that holds a file or folder; if there is none, the top of its git working tree, or else
/// the working directory.
pub(crate) fn root_around(place: &Path, session: &Session) -> PathBuf {
    // A database that cannot be used is reported when it is needed.
    let project = project_around(place, session).ok().flatten();
    project.or_else(|| working_tree_of(place)).unwrap_or_else(|| PathBuf::from("."))
}

fn project_around(place: &Path, session: &Session) -> anyhow::Result<Option<PathBuf>> {
    let config = session.config(&session.settings(None)?)?;
    let engine = Engine::open(&Config { must_exist: true, ..config })?;
    let project = engine.project_of_place(&std::path::absolute(place)?)?;
    Ok(project.map(|project| engine.directory_of(&project)).transpose()?)
}

/// Points out packages that may say more.
fn note_packages(names: &[String], session: &mut Session) {
    if !names.is_empty() {
        let names = names.join(" ");
        session
            .output
            .note(format_args!("'craig docs add {names}' indexes the documentation of imported packages"));
    }
}

/// The documentation, and whether a language model rephrases the answers.
struct Prepared {
    explainer: Explainer,
    /// Answers from packages; none if the database cannot be opened.
    engine: Option<Engine>,
    in_words: bool,
}

impl Prepared {
    fn explain(&self, selection: &Selection) -> anyhow::Result<Explained> {
        let mut explained = match self.in_words {
            true => self.explainer.explain_in_words(selection, &Cancellation::default())?,
            false => self.explainer.explain(selection)?.into(),
        };
        if let Some(engine) = &self.engine {
            explained.packages = self.explainer.explain_imports(engine, selection)?;
        }
        Ok(explained)
    }

    fn packages_to_add(&self, selection: &Selection) -> Result<Vec<String>, EngineError> {
        let engine = self.engine.as_ref();
        engine.map_or(Ok(Vec::new()), |engine| self.explainer.packages_to_add(engine, selection))
    }
}

/// Opens the documentation and brings it up to date; problems with its files are warnings.
fn prepare(args: &Args, root: &Path, session: &mut Session) -> anyhow::Result<Prepared> {
    let config = ExplainConfig::for_project(&session.sources(), root).map_err(EngineError::from)?;
    let in_words = args.model || config.in_words && !args.no_model;
    if in_words && config.language_model.is_none() {
        return Err(Refusal::new(
            "no language model is configured",
            "set language_model.provider (docs/models.md), or omit --model and explain.language_model",
        )
        .into());
    }
    let explainer = Explainer::open(root, &config)?;
    if !args.no_refresh {
        let report = explainer.refresh()?;
        warn(&report, session);
    }
    let engine = match definitions(args, root, session) {
        Ok((engine, code)) => {
            explainer.set_code(code);
            Some(engine)
        }
        Err(error) => {
            session.output.warn(format_args!("symbols of the same name are not distinguished: {error}"));
            None
        }
    };
    Ok(Prepared { explainer, engine, in_words })
}

/// The definitions in the code of the project. It is ingested or brought up to date first, unless a provider would
/// embed it.
fn definitions(
    args: &Args,
    root: &Path,
    session: &mut Session,
) -> anyhow::Result<(Engine, Option<CodeDefinitions>)> {
    let config = session.config(&session.settings(Some(root))?)?;
    let engine = Engine::open(&config)?;
    if !args.no_refresh && !matches!(config.embedder, EmbedderConfig::Hosted(_)) {
        let selector = ProjectSelector { handle: None, root, no_refresh: false, costs: None };
        selector.prepare(&engine, &mut session.output)?;
    }
    let code = engine.code_definitions(root)?;
    Ok((engine, code))
}

/// Warns if the language model failed and the documentation is quoted instead.
fn warn_of_fallback(explained: &Explained, session: &mut Session) {
    let fallback = explained.language_model.as_ref().filter(|report| report.status == WordsStatus::Fallback);
    if let Some(report) = fallback {
        let reason = report.reason.as_deref().unwrap_or("it failed");
        session.output.warn(format_args!("quoted without the language model: {reason}"));
    }
}

pub(crate) fn warn(report: &IndexReport, session: &mut Session) {
    report.troubles().for_each(|trouble| session.output.warn(trouble));
}

/// Reads `FILE`, `FILE:L` or `FILE:L1-L2`.
fn selection(place: &str) -> Result<Selection, Refusal> {
    let (file, lines) = match place.rsplit_once(':') {
        Some((file, lines)) if !file.is_empty() && lines.starts_with(|c: char| c.is_ascii_digit()) => {
            (file, Some(line_range(place, lines)?))
        }
        _ => (place, None),
    };
    Ok(Selection { file: PathBuf::from(file), lines })
}

fn line_range(place: &str, lines: &str) -> Result<(usize, usize), Refusal> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok((first, last)),
        _ => Err(Refusal::new(
            format!("{place:?} has no range of lines"),
            "lines are 1-based and ascending: src/client.js:10-20",
        )),
    }
}

fn text(explained: &Explained) -> String {
    let explanation = &explained.explanation;
    let comment = explanation.comment.as_ref().map(comment_text).unwrap_or_default();
    let rest = comment + &explained.packages.iter().map(package_text).collect::<String>();
    if !explanation.has_relevant_docs {
        let none =
            if explained.packages.is_empty() { NOT_DOCUMENTED } else { "Not documented in this project." };
        return format!("{none}\n{rest}");
    }
    let mut text = String::new();
    let mut is_mention = false;
    for bullet in &explanation.bullets {
        if bullet.kind == ExplanationKind::Mentioned && !is_mention {
            is_mention = true;
            text += "Mentioned in:\n";
        }
        let cited = &explanation.citations[bullet.citation];
        let place = format!("{}:{}", cited.file_path, bullet.line);
        let about = format!("{} · {}", cited.section_heading, percent(cited.relevance_score));
        let sentence = match bullet.is_sample() {
            true => bullet.text.replace('\n', "\n  "),
            false => bullet.text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        text += &format!("- {sentence}\n  {}  {}\n", styled(PATH, place), styled(DIM, about));
    }
    let applied = explained.language_model.as_ref().filter(|report| report.status == WordsStatus::Applied);
    let by = applied.map(|report| format!(" · rephrased by {}", report.model)).unwrap_or_default();
    text += &format!("{}\n", styled(DIM, format_args!("confidence {}{by}", percent(explanation.confidence))));
    text + &rest
}

/// What a package says, set off from the project's own documentation.
fn package_text(package: &PackageExplanation) -> String {
    let quote = |quote: &PackageQuote| {
        let text = quote.text.replace('\n', "\n  ");
        format!("- {text}\n  {}\n", styled(PATH, package.place(quote)))
    };
    let quotes: String = package.quotes.iter().map(quote).collect();
    format!("Package documentation of {}:\n{quotes}", package.title())
}

fn comment_text(comment: &Comment) -> String {
    let place = styled(PATH, format!("{}:{}", comment.file_path, comment.line));
    format!("Comment in the code:\n  {}\n  {place}\n", comment.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_behind_the_last_colon() {
        let read = |place: &str| selection(place).map(|s| (s.file, s.lines)).map_err(|e| e.to_string());
        assert_eq!(read("a.js").unwrap(), ("a.js".into(), None));
        assert_eq!(read("a.js:3").unwrap(), ("a.js".into(), Some((3, 3))));
        assert_eq!(read("c:/a.js:3-9").unwrap(), ("c:/a.js".into(), Some((3, 9))));
        assert_eq!(read("c:/a.js").unwrap(), ("c:/a.js".into(), None));
        for bad in ["a.js:0", "a.js:9-3", "a.js:1-x"] {
            assert!(read(bad).unwrap_err().contains("no range of lines"), "{bad}");
        }
    }
}
