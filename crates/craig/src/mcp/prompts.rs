//! Prompts: a developer expert for one kind of work each.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

/// The persona.
const PERSONA: &str = include_str!("prompts/persona.md");

/// A kind of work.
struct Template {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its own argument with a description; every prompt also has `project`.
    subject: Option<(&'static str, &'static str)>,
    text: &'static str,
}

const TEMPLATES: [Template; 5] = [
    Template {
        name: "explain_codebase",
        title: "Explain this code base",
        description: "What it does, how it is built, and where to look, with locations",
        subject: None,
        text: include_str!("prompts/explain_codebase.md"),
    },
    Template {
        name: "find_where_to_change",
        title: "Find where to change X",
        description: "All places that a change affects, in the order in which to work",
        subject: Some(("change", "The intended change")),
        text: include_str!("prompts/find_where_to_change.md"),
    },
    Template {
        name: "onboarding_tour",
        title: "Onboarding tour",
        description: "A first hour with the code: stops with files, and a first exercise",
        subject: None,
        text: include_str!("prompts/onboarding_tour.md"),
    },
    Template {
        name: "plan_refactoring",
        title: "Plan a refactoring",
        description: "Small steps that each keep the tests green, with what each touches",
        subject: Some(("goal", "The goal of the refactoring")),
        text: include_str!("prompts/plan_refactoring.md"),
    },
    Template {
        name: "review_change",
        title: "Review this change",
        description: "What a change breaks, misses or repeats, with evidence from the rest of the code",
        subject: Some(("change", "The diff, or the files and what was changed in them")),
        text: include_str!("prompts/review_change.md"),
    },
];

impl Template {
    fn prompt(&self) -> Prompt {
        let project =
            PromptArgument::new("project").with_description("Name of the project; default: the workspace's");
        let subject = self
            .subject
            .map(|(name, about)| PromptArgument::new(name).with_description(about).with_required(true));
        let arguments = subject.into_iter().chain([project.with_required(false)]).collect();
        Prompt::new(self.name, Some(self.description), Some(arguments)).with_title(self.title)
    }

    fn message(&self, arguments: &JsonObject) -> Result<String, ErrorData> {
        let given =
            |name: &str| arguments.get(name).and_then(|value| value.as_str()).filter(|text| !text.is_empty());
        let project = given("project").map_or_else(
            || "the workspace (leave `project` out of the calls)".to_owned(),
            |name| format!("the project {name:?} (give it as `project` in the calls)"),
        );
        let subject = match self.subject {
            None => "",
            Some((name, _)) => given(name).ok_or_else(|| {
                ErrorData::invalid_params(
                    format!("the prompt {} needs the argument {name:?}", self.name),
                    None,
                )
            })?,
        };
        Ok(format!("{PERSONA}\n{}", self.text).replace("{project}", &project).replace("{subject}", subject))
    }
}

/// All prompts, by name.
pub(super) fn all() -> Vec<Prompt> {
    TEMPLATES.iter().map(Template::prompt).collect()
}

/// One prompt with its arguments filled in.
pub(super) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let template = TEMPLATES.iter().find(|template| template.name == name).ok_or_else(|| {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        ErrorData::invalid_params(format!("there is no prompt {name:?}, only {}", names.join(", ")), None)
    })?;
    let message = PromptMessage::new_text(Role::User, template.message(arguments)?);
    Ok(GetPromptResult::new(vec![message]).with_description(template.description))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_prompt_fills_its_arguments_in() {
        for template in &TEMPLATES {
            let mut arguments = json!({ "project": "shop" });
            if let Some((name, _)) = template.subject {
                assert!(template.message(arguments.as_object().unwrap()).is_err(), "{name} is needed");
                arguments[name] = "the subject itself".into();
            }
            let text = template.message(arguments.as_object().unwrap()).unwrap();
            assert!(text.contains("\"shop\"") && !text.contains("{project}") && !text.contains("{subject}"));
            assert_eq!(text.contains("the subject itself"), template.subject.is_some());
        }
    }
}
