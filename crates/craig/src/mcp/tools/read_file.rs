//! `read_file`: numbered lines of files and definitions, several in one call.

use std::fmt::Write as _;

use craig_engine::{
    Engine, EngineError, FileText, OutlineRequest, SymbolRequest, SymbolText, lines_of, with_numbers,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{About, Call, Effect, Tool};
use crate::mcp::failure::Failure;
use crate::place;

/// Files, or parts of files, in one call.
const MOST_PLACES: usize = 10;

/// Bytes of an answer.
const MOST_BYTES: usize = 40_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// ["src/auth.py", "src/cart.py:10-40", "src/cart.py::Cart.total"].
    paths: Vec<String>,
    /// Default: the workspace's.
    project: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "read_file",
        title: "Read files",
        description: "Reads files, lines or definitions, several per call, with line numbers. Do not reread lines \
                      that explore or read_file have shown. Secrets are masked with *.",
        effect: Effect::Reads,
    };
    Tool::of_text(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<String, Failure> {
    let Arguments { paths, project } = &call.arguments;
    if paths.is_empty() || paths.len() > MOST_PLACES {
        return Err(Failure::new(
            format!("paths has {} entries: give 1 to {MOST_PLACES} per call", paths.len()),
            "give paths such as \"src/cart.py\", \"src/cart.py:10-40\" or \"src/cart.py::Cart.total\"",
        ));
    }
    let project = call.project_or_ingested(project.as_deref()).await?;
    let mut places = Vec::new();
    for path in paths {
        let (path, part) = Part::split(path);
        places.push((call.shared.path_in_project(&project, path).await?, part));
    }
    let (state, name) = (call.shared.bring_up_to_date(&project).await?, project.clone());
    let work = move |engine: &Engine, _| read(engine, &project, &places);
    let text = call.run("call", work).await?;
    Ok(state.line(&name) + &text)
}

/// What of a file is read.
enum Part {
    /// First and last line.
    Lines(usize, usize),
    /// A definition by its qualified name.
    Definition(String),
}

impl Part {
    /// The path, and what is behind it: nothing, `:10-40`, or `::Cart.total`.
    fn split(place: &str) -> (&str, Self) {
        let is_complete = |(path, name): &(&str, &str)| !path.is_empty() && !name.is_empty();
        if let Some((path, name)) = place.split_once("::").filter(is_complete) {
            return (path, Self::Definition(name.to_owned()));
        }
        let (path, lines) = place::split(place);
        let (first, last) = lines.unwrap_or((1, usize::MAX));
        (path, Self::Lines(first, last))
    }
}

/// All of the places. If one cannot be read, the others still are.
fn read(engine: &Engine, project: &str, places: &[(String, Part)]) -> Result<String, EngineError> {
    let mut text = String::new();
    for (path, part) in places {
        match read_part(engine, project, path, part) {
            Ok((file, ranges)) => ranges.into_iter().for_each(|lines| write(&mut text, &file, lines)),
            Err(error) if places.len() == 1 => return Err(error),
            Err(error) => {
                let _ = writeln!(text, "{path}: {error}");
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// A file, and the ranges of its lines that are meant.
fn read_part(
    engine: &Engine,
    project: &str,
    path: &str,
    part: &Part,
) -> Result<(FileText, Vec<(usize, usize)>), EngineError> {
    match part {
        Part::Lines(first, last) => Ok((engine.file(project, path)?, vec![(*first, *last)])),
        Part::Definition(name) => {
            let found = engine.symbol(project, &format!("{path}::{name}"), &SymbolRequest::default());
            match found {
                Ok(found) => Ok((engine.file(project, &found.subject.symbol.path)?, ranges(&found))),
                // The symbols of some languages are not resolved, but every file has an outline.
                Err(error) => {
                    let lines = outlined(engine, project, path, name).ok_or(error)?;
                    Ok((engine.file(project, path)?, vec![lines]))
                }
            }
        }
    }
}

/// The lines of a definition, and of its overloads in the file.
fn ranges(found: &SymbolText) -> Vec<(usize, usize)> {
    let symbol = &found.subject.symbol;
    let others = found.subject.also_defined.iter().filter(|other| other.path == symbol.path);
    let others = others.map(|other| (other.line as usize, other.line_end as usize));
    let mut ranges: Vec<(usize, usize)> =
        others.chain([(found.line_start as usize, symbol.line_end as usize)]).collect();
    ranges.sort_unstable();
    ranges
}

/// The lines of the definition of this name in a file's outline.
fn outlined(engine: &Engine, project: &str, path: &str, name: &str) -> Option<(usize, usize)> {
    let names = |qualified: &str| -> Vec<String> {
        let is_separator = |c: char| matches!(c, '.' | ':' | '#' | '\\');
        qualified.split(is_separator).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let outline = engine.outline(project, path, &OutlineRequest::default()).ok()?;
    let mut definitions = outline.files.iter().flat_map(|file| &file.definitions);
    let wanted = names(name);
    let found = definitions.find(|found| {
        let parent = found.parent.as_deref().unwrap_or_default();
        names(&format!("{parent}.{}", found.name)).ends_with(&wanted)
    })?;
    Some((found.line as usize, found.line_end as usize))
}

/// As many lines of a file as fit.
fn write(text: &mut String, file: &FileText, (first, last): (usize, usize)) {
    let path = &file.entry.path;
    let Some(content) = &file.content else {
        let why = if file.entry.is_binary { "a binary file" } else { "its text is withheld" };
        let _ = writeln!(text, "{path}: {why}");
        return;
    };
    let n_lines = content.lines().count();
    let (first, last) = (first.max(1), last.min(n_lines));
    if first > last {
        let _ = writeln!(text, "{path}: no such lines, the file has {n_lines}");
        return;
    }
    let numbered = with_numbers(&lines_of(content, (first as u32, last as u32)), first as u32);
    let room = MOST_BYTES.saturating_sub(text.len());
    let shown = whole_lines(&numbered, room);
    let _ = writeln!(text, "{path}:{first}-{last} of {n_lines}\n{}", shown.trim_end());
    if shown.len() < numbered.len() {
        let next = first + shown.lines().count();
        let _ = writeln!(text, "the answer is full: continue with {path}:{next}-{last}");
    }
}

/// The lines of a text that fit; of a first line that is too long, its beginning.
fn whole_lines(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(room)];
    cut.rfind('\n').map_or(cut, |end| &cut[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_shown() {
        assert_eq!((whole_lines("1\ta\n2\tb", 7), whole_lines("1\ta\n2\tb", 5)), ("1\ta\n2\tb", "1\ta"));
        assert_eq!(whole_lines("1\tüü", 4), "1\tü");
    }
}
