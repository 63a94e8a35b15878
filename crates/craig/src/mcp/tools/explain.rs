//! `explain_code`: explains code from the project's own documentation.

use std::path::PathBuf;

use craig_engine::{
    Engine, EngineError, Explainer, Explanation, ExplanationKind, PackageExplanation, Selection,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;

/// Definitions of a name that are tried until one is documented.
const MOST_DEFINITIONS: usize = 5;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Path, as in hits.
    path: Option<String>,
    /// Default: the whole file.
    start_line: Option<usize>,
    /// Default: start_line.
    end_line: Option<usize>,
    /// Name instead of lines: "Client.request".
    symbol: Option<String>,
    /// Default: the workspace, ingested or not.
    project: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    /// What packages say about imported symbols of the lines: not the project's documentation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<PackageExplanation>,
    /// File that was explained.
    path: String,
    /// First line that was explained; null for the whole file.
    line_start: Option<usize>,
    /// Last line.
    line_end: Option<usize>,
    /// What to know about this answer.
    note: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "explain_code",
        title: "Explain code from the documentation",
        description: "Quotes the project's own documentation of code (path with lines, or symbol), with \
                      citations, as documented or only mentioned; else answers exactly \"Not documented.\".",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Explained>, Failure> {
    let root = root(&call).await?;
    let selections = selections(&call).await?;
    let work = move |engine: &Engine, explainer: &Explainer| {
        let (selection, explanation) = first_documented(explainer, selections)?;
        // If the database cannot be read, the documentation answers alone.
        let packages = explainer.explain_imports(engine, &selection).unwrap_or_default();
        Ok((selection, explanation, packages))
    };
    let ((selection, explanation, packages), report) = call.shared.explain(root, work).await?;
    let notes: Vec<String> = report.troubles().collect();
    let fields = Explained {
        explanation,
        packages,
        path: selection.file.to_string_lossy().into_owned(),
        line_start: selection.lines.map(|(first, _)| first),
        line_end: selection.lines.map(|(_, last)| last),
        note: (!notes.is_empty()).then(|| notes.join(". ")),
    };
    Ok(fields.into())
}

/// The folder whose documentation is used: the project's, so that paths are those of hits; otherwise the workspace.
async fn root(call: &Call<Arguments>) -> Result<PathBuf, Failure> {
    let project = match &call.arguments.project {
        Some(named) => Some(call.shared.project_named(named).await?),
        None => call.shared.own_project().await?,
    };
    let Some(project) = project else {
        let workspace = call.shared.workspace.folders().into_iter().next();
        let workspace = workspace.ok_or_else(|| call.shared.no_own_project())?;
        let workspace = workspace.canonicalize().unwrap_or(workspace);
        // Its documentation is read and stored, which needs the same permission as its code.
        call.shared.source(&workspace.to_string_lossy()).await?;
        return Ok(workspace);
    };
    let root = call.shared.run(move |engine| engine.directory_of(&project)).await?;
    match root.canonicalize() {
        Ok(real) if real != root => Err(EngineError::SourceReplaced { path: root, leads_to: real }.into()),
        _ => Ok(root),
    }
}

/// The code to be explained: the lines, or the definitions of the symbol.
async fn selections(call: &Call<Arguments>) -> Result<Vec<Selection>, Failure> {
    let Arguments { path, symbol, start_line, end_line, .. } = &call.arguments;
    match (path, symbol) {
        (None, None) => Err(Failure::new(
            "no code to explain was given",
            "call explain_code with path (and start_line, end_line), or with symbol",
        )),
        (Some(path), None) => {
            Ok(vec![Selection { file: path.into(), lines: lines(*start_line, *end_line)? }])
        }
        (path, Some(symbol)) => definitions(call, symbol, path.as_deref()).await,
    }
}

fn lines(first: Option<usize>, last: Option<usize>) -> Result<Option<(usize, usize)>, Failure> {
    match (first, last) {
        (None, None) => Ok(None),
        (first, last) => {
            let first = first.unwrap_or(1);
            let last = last.unwrap_or(first);
            match 0 < first && first <= last {
                true => Ok(Some((first, last))),
                false => Err(Failure::new(
                    format!("there are no lines {first} to {last}"),
                    "lines are 1-based and ascending; omit both for the whole file",
                )),
            }
        }
    }
}

/// The definitions of a symbol, the most likely first.
async fn definitions(
    call: &Call<Arguments>,
    symbol: &str,
    path: Option<&str>,
) -> Result<Vec<Selection>, Failure> {
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    call.shared.bring_up_to_date(&project).await?;
    let name = symbol.to_owned();
    let hits =
        call.shared.run(move |engine| engine.definitions(&project, &name, 4 * MOST_DEFINITIONS)).await?;
    let path = path.map(|path| path.trim_start_matches("./"));
    let wanted = hits.into_iter().filter(|hit| path.is_none_or(|path| hit.path == path));
    let selections: Vec<Selection> = wanted
        .take(MOST_DEFINITIONS)
        .map(|hit| Selection {
            file: hit.path.into(),
            lines: Some((hit.line_start as usize, hit.line_end as usize)),
        })
        .collect();
    if selections.is_empty() {
        return Err(Failure::new(
            match path {
                Some(path) => format!("no symbol is named {symbol:?} in {path}"),
                None => format!("no symbol is named {symbol:?}"),
            },
            "query_code finds code by meaning; then call explain_code with path and lines",
        ));
    }
    Ok(selections)
}

/// The explanation of the first documented selection, else of the first that is mentioned, else of the first.
fn first_documented(
    explainer: &Explainer,
    selections: Vec<Selection>,
) -> Result<(Selection, Explanation), EngineError> {
    let mut best: Option<(Selection, Explanation)> = None;
    for selection in selections {
        let explanation = explainer.explain(&selection)?;
        if explanation.kind == Some(ExplanationKind::Documented) {
            return Ok((selection, explanation));
        }
        let is_better =
            |(_, known): &(Selection, Explanation)| known.kind.is_none() && explanation.kind.is_some();
        if best.as_ref().is_none_or(is_better) {
            best = Some((selection, explanation));
        }
    }
    Ok(best.unwrap_or_else(|| {
        (Selection { file: PathBuf::new(), lines: None }, Explanation::not_documented(None, 0.0))
    }))
}
