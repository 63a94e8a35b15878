//! Analyses: `analyze_architecture`, `get_dependencies`, `analyze_quality`, `get_component_relations`.
//!
//! Each is a few lists. Without `section` the beginning of every list is told and how long it is; with one, that list in
//! pages.

use craig_engine::{Cancellation, Engine, EngineError};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::STATES;
use crate::mcp::page::{Page, Paging, size_of};
use crate::mcp::schema::{Optional, one_of, text, with};

/// Items of each list in an overview.
const FIRST_ITEMS: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Of {
    /// Name, reference, id or directory of the project; without it the workspace's.
    project: Option<String>,
    /// One list of the analysis in full, by its name in counts; without it the beginning of each.
    section: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Between {
    /// Path of a file or folder, or name of a symbol: "src/cart.rs", "src", "Cart::total".
    target: String,
    #[serde(flatten)]
    of: Of,
}

pub(super) fn architecture_tool() -> Tool {
    let about = About {
        name: "analyze_architecture",
        title: "Analyse the architecture",
        description: "How a project is built: modules and what they use, layers, entry points, patterns (MVC, layered, \
                      hexagonal, repository, plugin, …) with evidence and confidence, and a Mermaid graph.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| told(engine.architecture(project, ended)?))
    })
}

pub(super) fn dependencies_tool() -> Tool {
    let about = About {
        name: "get_dependencies",
        title: "List dependencies",
        description: "Imports between files with their lines, external packages with versions and the places that use \
                      them, cycles, the files most depended on, and a Mermaid graph.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| told(engine.dependencies(project, ended)?))
    })
}

pub(super) fn quality_tool() -> Tool {
    let about = About {
        name: "analyze_quality",
        title: "Measure code quality",
        description: "Functions by complexity, nesting and length; duplicated code; long files; TODO notes; tests of each \
                      module. Worst first, with places.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Of>| {
        analyse(call, |engine, project, ended| told(engine.quality(project, ended)?))
    })
}

pub(super) fn relations_tool() -> Tool {
    let about = About {
        name: "get_component_relations",
        title: "Show relations of a component",
        description: "What a file, folder or symbol uses and is used by, and which files a change of it reaches: ask \
                      before changing something that others use.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, |call: Call<Between>| {
        let target = call.arguments.target.clone();
        analyse_at(call.map(|between| between.of), target, |engine, project, target, ended| {
            told(engine.relations(project, target, ended)?)
        })
    })
}

fn output() -> Value {
    let counts = json!({
        "type": "object", "additionalProperties": { "type": "integer" },
        "description": "Length of each list: the names are what section takes",
    });
    let sections = json!({
        "type": "object", "additionalProperties": { "type": "array" },
        "description": "Lists of the analysis, by name",
    });
    let facts = json!({ "type": "object", "description": "What is told in one value" });
    with("project", text("Project"))
        .with("facts", facts)
        .with("counts", counts)
        .with("sections", sections)
        .with("mermaid", Optional(text("Graph as Mermaid text")))
        .with("freshness", one_of("Whether the index is as new as the files", &STATES))
        .paged()
        .object()
}

/// An analysis as JSON.
fn told(analysis: impl Serialize) -> Result<Value, EngineError> {
    // Plain data has a form as JSON.
    Ok(serde_json::to_value(analysis).unwrap_or_default())
}

async fn analyse(
    call: Call<Of>,
    analysis: impl FnOnce(&Engine, &str, &Cancellation) -> Result<Value, EngineError> + Send + 'static,
) -> Result<Answer, Failure> {
    analyse_at(call, String::new(), |engine, project, _, ended| analysis(engine, project, ended)).await
}

/// The same of a file, folder or symbol.
async fn analyse_at(
    call: Call<Of>,
    target: String,
    analysis: impl FnOnce(&Engine, &str, &str, &Cancellation) -> Result<Value, EngineError> + Send + 'static,
) -> Result<Answer, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let target = call.shared.path_in_project(&project, &target).await?;
    let ended = EndedWhenDropped::default();
    let cancellation = ended.0.clone();
    let work = move |engine: &Engine| {
        Ok((engine.status(&project)?.project, analysis(engine, &project, &target, &cancellation)?))
    };
    let (name, value) = tokio::select! {
        found = call.shared.run(work) => found?,
        () = call.caller.cancelled.cancelled() => {
            return Err(Failure::new("the analysis was cancelled", "ask again when its answer is needed"));
        }
    };
    let parts = Parts::of(value);
    let mut answer = Answer::default()
        .with("project", name.clone())
        .with("facts", parts.facts.clone())
        .with("counts", parts.counts())
        .with("freshness", state.name());
    let notes: Vec<String> = state.note(&name).into_iter().collect();
    match call.arguments.section.as_deref() {
        Some(section) => parts.section(section, page, &mut answer, notes)?,
        None => parts.overview(page, &mut answer, notes),
    }
    Ok(answer)
}

/// Ends an analysis that nobody waits for any more: its thread would go on, and keep an engine from others.
#[derive(Default)]
struct EndedWhenDropped(Cancellation);

impl Drop for EndedWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// An analysis taken apart.
#[derive(Default)]
struct Parts {
    facts: Map<String, Value>,
    lists: Vec<(String, Vec<Value>)>,
    mermaid: Option<String>,
}

impl Parts {
    fn of(value: Value) -> Self {
        let mut parts = Self::default();
        parts.take(value, "");
        parts
    }

    /// Lists within objects go by the names of both: `duplication.clones`.
    fn take(&mut self, value: Value, prefix: &str) {
        let Value::Object(fields) = value else { return };
        for (name, value) in fields {
            let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match value {
                Value::Array(items) => self.lists.push((name, items)),
                Value::Object(_) => self.take(value, &name),
                Value::String(chart) if name == "mermaid" => self.mermaid = Some(chart),
                other => drop(self.facts.insert(name, other)),
            }
        }
    }

    fn counts(&self) -> Value {
        self.lists
            .iter()
            .map(|(name, items)| (name.clone(), Value::from(items.len())))
            .collect::<Map<_, _>>()
            .into()
    }

    /// One list, in pages.
    fn section(self, name: &str, page: Page, answer: &mut Answer, notes: Vec<String>) -> Result<(), Failure> {
        let names: Vec<&str> = self.lists.iter().map(|(name, _)| &**name).collect();
        let names = names.join(", ");
        let Some((_, items)) = self.lists.into_iter().find(|(known, _)| known == name) else {
            return Err(Failure::new(format!("there is no section {name:?}"), format!("sections: {names}")));
        };
        let fitting = page.fit(items);
        answer.fields.insert("sections".into(), json!({ name: fitting.items }));
        page.close(&mut answer.fields, &fitting, name, notes);
        Ok(())
    }

    /// The beginning of each list, as much of it as there is room for, and the chart if it fits then.
    fn overview(self, page: Page, answer: &mut Answer, mut notes: Vec<String>) {
        let share = page.budget_bytes() / (self.lists.len() + 1).max(1);
        let mut sections = Map::new();
        let mut is_cut = false;
        for (name, items) in self.lists {
            let first = beginning(&items, share);
            is_cut |= first.len() < items.len();
            sections.insert(name, first.into());
        }
        if is_cut {
            notes.push(
                "only the beginning of each list is told: ask with section for one of them in full".into(),
            );
        }
        answer.fields.insert("sections".into(), sections.into());
        if let Some(chart) = self.mermaid.filter(|chart| chart.len() <= share) {
            answer.fields.insert("mermaid".into(), chart.into());
        }
        page.close_at(&mut answer.fields, None, notes, String::new);
        answer.fields.insert("truncated".into(), is_cut.into());
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
    use super::*;

    #[test]
    fn lists_are_found_wherever_they_are() {
        let parts =
            Parts::of(json!({ "a": [1, 2], "b": { "c": [3], "d": 4 }, "mermaid": "graph", "e": "f" }));
        assert_eq!(parts.counts(), json!({ "a": 2, "b.c": 1 }));
        assert_eq!(Value::from(parts.facts), json!({ "b.d": 4, "e": "f" }));
        assert_eq!(parts.mermaid.as_deref(), Some("graph"));
        assert_eq!(beginning(&[json!("xx"), json!("yy")], 6), [json!("xx")]);
    }
}
