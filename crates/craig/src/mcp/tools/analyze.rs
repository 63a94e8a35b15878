//! `analyze`: architecture, dependencies and quality of a project, and the relations of a part of it.
//!
//! An analysis is a few lists. Without `section`, the beginning and the length of every list are returned; with one, that
//! list in pages.

use std::collections::BTreeMap;

use craig_engine::{Cancellation, Engine, EngineError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging, size_of};

/// Items of each list in an overview.
const FIRST_ITEMS: usize = 10;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Of the project; relations: of target.
    analysis: Subject,
    /// File, folder or symbol, for relations: "src", "Cart::total".
    target: Option<String>,
    /// Default: the workspace's.
    project: Option<String>,
    /// One list in full, by its name in counts.
    section: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// What is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Subject {
    Architecture,
    Dependencies,
    Quality,
    Relations,
}

#[derive(Serialize, JsonSchema)]
struct Analysis {
    /// Name of the project.
    project: String,
    /// Results that are one value each.
    facts: Map<String, Value>,
    /// Length of each list; section takes these names.
    #[schemars(with = "BTreeMap<String, usize>")]
    counts: Map<String, Value>,
    /// Lists of the analysis, by name.
    #[schemars(with = "BTreeMap<String, Vec<Value>>")]
    sections: Map<String, Value>,
    /// Graph as Mermaid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    mermaid: Option<String>,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "analyze",
        title: "Analyse a project",
        description: "Measures a project: architecture (modules, layers, cycles, entry points), dependencies \
                      (imports, packages) or quality (complexity, duplication, TODOs, tests). relations: what a \
                      target uses, what uses it, what a change affects.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Analysis>, Failure> {
    let (arguments, subject) = (&call.arguments, call.arguments.analysis);
    let page = Page::new(&arguments.paging, &call.raw)?;
    let target = subject.target(arguments.target.as_deref())?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let target = call.shared.path_in_project(&project, target).await?;
    let work = move |engine: &Engine, cancellation: Cancellation| {
        Ok((engine.status(&project)?.project, subject.analyze(engine, &project, &target, &cancellation)?))
    };
    let (name, value) = call.run("analysis", work).await?;
    let parts = Parts::from_json(value);
    let counts = parts.lists.iter().map(|(name, items)| (name.clone(), items.len().into())).collect();
    let facts = parts.facts.clone();
    let notes: Vec<String> = state.note(&name).into_iter().collect();
    let (sections, mermaid, page) = match call.arguments.section.as_deref() {
        Some(section) => parts.section(section, page, notes)?,
        None => parts.overview(page, notes),
    };
    let freshness = state.name();
    Ok(Analysis { project: name, facts, counts, sections, mermaid, freshness, page }.into())
}

impl Subject {
    /// The target, which relations need and the others do not take.
    fn target(self, named: Option<&str>) -> Result<&str, Failure> {
        match (self, named) {
            (Self::Relations, Some(target)) => Ok(target),
            (Self::Relations, None) => Err(Failure::new(
                "relations require a target",
                "name a file, folder or symbol as target: \"src\", \"Cart::total\"",
            )),
            (_, None) => Ok(""),
            (_, Some(_)) => Err(Failure::new(
                "target applies only to relations: the other analyses cover the whole project",
                "omit target, or choose the analysis relations",
            )),
        }
    }

    fn analyze(
        self,
        engine: &Engine,
        project: &str,
        target: &str,
        ended: &Cancellation,
    ) -> Result<Value, EngineError> {
        match self {
            Self::Architecture => as_json(engine.architecture(project, ended)?),
            Self::Dependencies => as_json(engine.dependencies(project, ended)?),
            Self::Quality => as_json(engine.quality(project, ended)?),
            Self::Relations => as_json(engine.relations(project, target, ended)?),
        }
    }
}

/// An analysis as JSON.
fn as_json(analysis: impl Serialize) -> Result<Value, EngineError> {
    // Plain data has a form as JSON.
    Ok(serde_json::to_value(analysis).unwrap_or_default())
}

/// Lists by name, the graph, and the end of the page.
type Shown = (Map<String, Value>, Option<String>, PageEnd);

/// An analysis taken apart.
#[derive(Default)]
struct Parts {
    facts: Map<String, Value>,
    lists: Vec<(String, Vec<Value>)>,
    mermaid: Option<String>,
}

impl Parts {
    fn from_json(value: Value) -> Self {
        let mut parts = Self::default();
        parts.add(value, "");
        parts
    }

    /// Lists within objects are named after both: `duplication.clones`.
    fn add(&mut self, value: Value, prefix: &str) {
        let Value::Object(fields) = value else { return };
        for (name, value) in fields {
            let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match value {
                Value::Array(items) => self.lists.push((name, items)),
                Value::Object(_) => self.add(value, &name),
                Value::String(chart) if name == "mermaid" => self.mermaid = Some(chart),
                other => drop(self.facts.insert(name, other)),
            }
        }
    }

    /// One list, in pages.
    fn section(self, name: &str, page: Page, notes: Vec<String>) -> Result<Shown, Failure> {
        let names: Vec<&str> = self.lists.iter().map(|(name, _)| name.as_str()).collect();
        let sections = format!("sections: {}", names.join(", "));
        let Some((name, items)) = self.lists.into_iter().find(|(known, _)| known == name) else {
            return Err(Failure::new(format!("there is no section {name:?}"), sections));
        };
        let fitting = page.fit(items);
        let end = page.end(&fitting, &name, notes);
        Ok((Map::from_iter([(name, fitting.items.into())]), None, end))
    }

    /// The beginning of each list, as much of it as there is room for, and the chart if it fits then.
    fn overview(self, page: Page, mut notes: Vec<String>) -> Shown {
        let share = page.budget_bytes() / (self.lists.len() + 1).max(1);
        let mut is_cut = false;
        let first = |(name, items): (String, Vec<Value>)| {
            let first = beginning(&items, share);
            is_cut |= first.len() < items.len();
            (name, first.into())
        };
        let sections = self.lists.into_iter().map(first).collect();
        if is_cut {
            notes.push("only the beginning of each list is shown: set section to get one in full".into());
        }
        let mermaid = self.mermaid.filter(|chart| chart.len() <= share);
        let mut end = page.end_at(None, notes, String::new);
        end.truncated = is_cut;
        (sections, mermaid, end)
    }
}

/// The first items, as many as fit.
fn beginning(items: &[Value], most_bytes: usize) -> Vec<Value> {
    let mut room = most_bytes;
    let fits = |item: &&Value| {
        let size = size_of(item);
        let is_fitting = size <= room;
        room = room.saturating_sub(size);
        is_fitting
    };
    items.iter().take(FIRST_ITEMS).take_while(fits).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_found_wherever_they_are() {
        let analysis = json!({ "a": [1, 2], "b": { "c": [3], "d": 4 }, "mermaid": "graph", "e": "f" });
        let parts = Parts::from_json(analysis);
        assert_eq!(json!(parts.lists), json!([["a", [1, 2]], ["b.c", [3]]]));
        assert_eq!(json!(parts.facts), json!({ "b.d": 4, "e": "f" }));
        assert_eq!(parts.mermaid.as_deref(), Some("graph"));
        assert_eq!(beginning(&[json!("xx"), json!("yy")], 6), [json!("xx")]);
    }
}
