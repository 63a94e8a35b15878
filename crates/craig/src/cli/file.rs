//! `craig file`: one tracked file with its text.

use std::ops::RangeInclusive;

use craig_engine::{FileText, with_numbers};

use super::failure::{Outcome, Refusal};
use super::global::Format;
use super::project::ProjectArg;
use super::session::Session;
use super::units::{bytes, withheld};
use crate::place;

/// Print a tracked file from the index
#[derive(Debug, clap::Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Path of the file, relative to the project's directory or to DIRECTORY, optionally with lines: src/cart.py:10-40
    path: String,
    /// Only these lines, 1-based and inclusive: 10-20, 10-, -20 or 10
    #[arg(long, value_name = "A-B", value_parser = parse_lines, allow_hyphen_values = true)]
    lines: Option<RangeInclusive<usize>>,
    /// Print each line after its number and a tab
    #[arg(long, short)]
    numbers: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = args.project.handle(&engine)?;
    let (path, lines) = place::split(&args.path);
    let lines = args.lines.clone().or(lines.map(|(first, last)| first.max(1)..=last));
    let mut file = engine.file(&project, &args.project.path(&engine, &project, path)?)?;
    if let (Some(lines), Some(content)) = (&lines, &file.content) {
        file.content = Some(within(content, lines)?);
    }
    match session.output.format {
        Format::Json => session.output.json_line(&file)?,
        Format::Text if args.numbers => {
            let first = lines.map_or(1, |lines| *lines.start());
            session.output.content(&(with_numbers(text(&file)?, first as u32) + "\n"))?;
        }
        Format::Text => session.output.content(text(&file)?)?,
    }
    Ok(Outcome::Complete)
}

fn text(file: &FileText) -> Result<&str, Refusal> {
    file.content.as_deref().ok_or_else(|| {
        let path = &file.entry.path;
        let why = match file.entry.withheld {
            Some(why) => format!("{path} has no text in the index: {}", withheld(why)),
            None => {
                format!("{path} is a binary file ({}): it has no text in the index", bytes(file.entry.size))
            }
        };
        Refusal::new(why, "--format json shows what is known about the file")
    })
}

fn within(content: &str, lines: &RangeInclusive<usize>) -> Result<String, Refusal> {
    let n_lines = content.lines().count();
    if *lines.start() > n_lines {
        let message = format!("there is no line {}: the file has {n_lines}", lines.start());
        return Err(Refusal::new(message, "lines are counted from 1"));
    }
    let n_wanted = (lines.end() - lines.start()).saturating_add(1);
    Ok(content.split_inclusive('\n').skip(lines.start() - 1).take(n_wanted).collect())
}

fn parse_lines(text: &str) -> Result<RangeInclusive<usize>, String> {
    const EXPECTED: &str = "expected lines such as 10-20, 10-, -20 or 10, counted from 1";
    let number = |text: &str, otherwise: usize| match text.trim() {
        "" => Some(otherwise),
        digits => digits.parse().ok(),
    };
    let (start, end) = match text.split_once('-') {
        Some(("", "")) => return Err(EXPECTED.to_owned()),
        Some((start, end)) => (number(start, 1), number(end, usize::MAX)),
        None => (text.trim().parse().ok(), text.trim().parse().ok()),
    };
    match (start, end) {
        (Some(start), Some(end)) if start >= 1 && start <= end => Ok(start..=end),
        _ => Err(EXPECTED.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_all_forms() {
        let good = ["10-20", "10-", "-20", "7"].map(|text| parse_lines(text).unwrap());
        assert_eq!(good, [10..=20, 10..=usize::MAX, 1..=20, 7..=7]);
        assert!(["", "-", "0", "0-3", "5-4", "a-b", "1-2-3"].iter().all(|text| parse_lines(text).is_err()));
    }

    #[test]
    fn lines_are_cut_out_whole() {
        assert_eq!(within("a\nb\nc", &(2..=3)).unwrap(), "b\nc");
        assert_eq!(within("a\nb\nc\n", &(1..=usize::MAX)).unwrap(), "a\nb\nc\n");
        assert_eq!(within("a\n", &(2..=2)).unwrap_err().to_string(), "there is no line 2: the file has 1");
    }
}
