//! Analyses: `analyze_architecture`, `get_dependencies`, `analyze_quality`, `get_component_relations`.
//!
//! Each is a few lists. Without `section`, the beginning and the length of every list are returned; with one, that list in
//! pages.

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
struct Of {
    /// Default: the workspace's.
    project: Option<String>,
    /// One list in full, by its name in counts.
    section: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
struct Between {
    /// Path of a file or folder, or name of a symbol: "src/cart.rs", "src", "Cart::total".
    target: String,
    #[serde(flatten)]
    of: Of,
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

pub(super) fn architecture_tool() -> Tool {
    let about = About {
        name: "analyze_architecture",
        title: "Analyse the architecture",
        description: "Describes how a project is built: modules and what they use, layers, cycles, uses against the layers, entry \
                      points with their evidence, and a Mermaid graph.",
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| as_json(engine.architecture(project, ended)?))
    })
}

pub(super) fn dependencies_tool() -> Tool {
    let about = About {
        name: "get_dependencies",
        title: "List dependencies",
        description: "Lists imports between files with lines, external packages with versions and uses, cycles, the files \
                      that most others depend on, and a Mermaid graph.",
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| as_json(engine.dependencies(project, ended)?))
    })
}

pub(super) fn quality_tool() -> Tool {
    let about = About {
        name: "analyze_quality",
        title: "Measure code quality",
        description: "Ranks functions by complexity, nesting and length; lists duplicated code, long files, TODO notes and \
                      the tests of each module. Worst first, with locations.",
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| as_json(engine.quality(project, ended)?))
    })
}

pub(super) fn relations_tool() -> Tool {
    let about = About {
        name: "get_component_relations",
        title: "Show relations of a component",
        description: "Shows what a file, folder or symbol uses, what uses it, and which files a change to it affects: call \
                      this before changing shared code.",
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Between>| {
        let target = call.arguments.target.clone();
        analyse_at(call.map(|between| between.of), target, |engine, project, target, ended| {
            as_json(engine.relations(project, target, ended)?)
        })
    })
}

/// An analysis as JSON.
fn as_json(analysis: impl Serialize) -> Result<Value, EngineError> {
    // Plain data has a form as JSON.
    Ok(serde_json::to_value(analysis).unwrap_or_default())
}

async fn analyse(
    call: Call<Of>,
    analysis: impl FnOnce(&Engine, &str, &Cancellation) -> Result<Value, EngineError> + Send + 'static,
) -> Result<Answer<Analysis>, Failure> {
    analyse_at(call, String::new(), |engine, project, _, ended| analysis(engine, project, ended)).await
}

/// The same for a file, folder or symbol.
async fn analyse_at(
    call: Call<Of>,
    target: String,
    analysis: impl FnOnce(&Engine, &str, &str, &Cancellation) -> Result<Value, EngineError> + Send + 'static,
) -> Result<Answer<Analysis>, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let target = call.shared.path_in_project(&project, &target).await?;
    let work = move |engine: &Engine, cancellation: Cancellation| {
        Ok((engine.status(&project)?.project, analysis(engine, &project, &target, &cancellation)?))
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
            notes.push(
                "only the beginning of each list is shown: section asks for one of them in full".into(),
            );
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
