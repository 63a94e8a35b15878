//! `outline`: the definitions of a file or folder.

use std::sync::Arc;

use craig_engine::{FileOutline, Outline, OutlineRequest, OutlinedDefinition};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging};

/// The shortest row as JSON: no page has more of them than fit.
const LEAST_BYTES: usize = 12;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// File or folder; default: the project.
    #[serde(default)]
    path: String,
    /// Default: the workspace's.
    project: Option<String>,
    /// Levels (of a folder: 1).
    depth: Option<usize>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Outlined {
    /// Files with definitions, by path.
    files: Vec<OutlinedFile>,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

#[derive(Serialize, JsonSchema)]
struct OutlinedFile {
    /// Path relative to the project's directory.
    path: String,
    /// Lines, kind and declaration of each definition, indented by nesting: "  12-40 method: def total(self)".
    definitions: Vec<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "outline",
        title: "Outline a file or folder",
        description: "Lists the definitions of a file, or the main ones of a folder, with lines and signatures; \
                      headings of documents.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Outlined>, Failure> {
    let arguments = &call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let path = call.shared.path_in_project(&project, &arguments.path).await?;
    // One more than a page can have shows that there are more.
    let limit = page.offset + page.budget_bytes() / LEAST_BYTES + 1;
    let request = OutlineRequest { depth: arguments.depth, limit };
    let outline = call.shared.run(move |engine| engine.outline(&project, &path, &request)).await?;
    let mut notes: Vec<String> = state.note(&outline.project).into_iter().collect();
    if outline.files.is_empty() {
        notes.push("there are no definitions: the file has no text, or Craig has no grammar for it".into());
    }
    let fitting = page.fit(rows(outline));
    let shown = page.offset + fitting.items.len();
    let page = page.end_at(fitting.next(), notes, || format!("definitions {}-{shown}", page.offset + 1));
    Ok(Outlined { files: by_file(fitting.items), freshness: state.name(), page }.into())
}

/// A definition and its file.
#[derive(Serialize)]
struct Row {
    #[serde(skip)]
    path: Arc<str>,
    /// The first row of a file counts for its path as well.
    heading: Option<Arc<str>>,
    text: String,
}

fn rows(outline: Outline) -> Vec<Row> {
    let of_file = |file: FileOutline| {
        let path: Arc<str> = file.path.into();
        let row = move |(at, definition): (usize, OutlinedDefinition)| Row {
            path: Arc::clone(&path),
            heading: (at == 0).then(|| Arc::clone(&path)),
            text: text(&definition),
        };
        file.definitions.into_iter().enumerate().map(row)
    };
    outline.files.into_iter().flat_map(of_file).collect()
}

fn text(definition: &OutlinedDefinition) -> String {
    let OutlinedDefinition { line, line_end, depth, signature, .. } = definition;
    let lines = if line == line_end { line.to_string() } else { format!("{line}-{line_end}") };
    let outside = definition.outside().map(|parent| format!(" in {parent}")).unwrap_or_default();
    format!("{}{lines} {}{outside}: {signature}", "  ".repeat(*depth as usize), definition.word)
}

fn by_file(rows: Vec<Row>) -> Vec<OutlinedFile> {
    let mut files: Vec<OutlinedFile> = Vec::new();
    for Row { path, text, .. } in rows {
        match files.last_mut().filter(|file| *file.path == *path) {
            Some(file) => file.definitions.push(text),
            None => files.push(OutlinedFile { path: path.to_string(), definitions: vec![text] }),
        }
    }
    files
}
