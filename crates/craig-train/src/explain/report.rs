//! How well passages are ranked, and what answers are like.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use craig_explain::{Explanation, Kind, PassageRanker};

use super::cases::{Case, Example, Grade, Truth};

/// An answer, and how much its quotes say.
pub(super) struct Outcome {
    case: Case,
    explanation: Explanation,
    /// Of each quote.
    grades: Vec<Option<Grade>>,
}

impl Outcome {
    pub(super) fn new(case: &Case, explanation: Explanation) -> Self {
        let grade = |bullet: &craig_explain::Bullet| {
            let cited = &explanation.citations[bullet.citation];
            let last = bullet.line as usize + bullet.text.matches('\n').count();
            case.truth.grade(&cited.file_path, cited.heading_line, (bullet.line as usize, last))
        };
        let grades = explanation.bullets.iter().map(grade).collect();
        Self { case: case.clone(), explanation, grades }
    }
}

/// Prints how often the likeliest passage of each definition is right, from the surest on.
#[expect(clippy::print_stdout, reason = "a developer's tool")]
pub(super) fn print_ranking<'r>(examples: &[Example], ranker: impl Fn(&Example) -> &'r PassageRanker) {
    let of_places = examples.iter().filter(|example| matches!(example.truth, Truth::Places(_)));
    let mut best: Vec<(f32, Option<Grade>)> = of_places
        .filter_map(|example| {
            let probabilities = ranker(example).probabilities(&example.passages);
            let at =
                (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]))?;
            Some((probabilities[at], example.grades[at]))
        })
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("the likeliest passages of definitions, from the surest on:");
    for n in (100..=1_000).step_by(100).filter(|&n| n <= best.len()) {
        let share =
            |least: Grade| best[..n].iter().filter(|one| one.1 >= Some(least)).count() as f32 / n as f32;
        println!(
            "{n:>5}: probability from {:.2}, explains {:.3}, at least mentions {:.3}",
            best[n - 1].0,
            share(Grade::Explains),
            share(Grade::Mentions)
        );
    }
}

/// Prints what answers are like, for definitions with places and with sections.
#[expect(clippy::print_stdout, reason = "a developer's tool")]
pub(super) fn print_answers(outcomes: &[Outcome]) {
    for is_of_places in [true, false] {
        let of_truth = |outcome: &&Outcome| matches!(outcome.case.truth, Truth::Places(_)) == is_of_places;
        let outcomes: Vec<&Outcome> = outcomes.iter().filter(of_truth).collect();
        if outcomes.is_empty() {
            continue;
        }
        println!("{} definitions with {}:", outcomes.len(), if is_of_places { "places" } else { "sections" });
        for kind in [Some(Kind::Documented), Some(Kind::Mentioned)] {
            let own: Vec<&&Outcome> =
                outcomes.iter().filter(|outcome| outcome.explanation.kind == kind).collect();
            let share = |least: Grade| {
                own.iter().filter(|outcome| outcome.grades[0] >= Some(least)).count() as f32
                    / own.len().max(1) as f32
            };
            let quotes: Vec<_> = own.iter().flat_map(|outcome| &outcome.grades).collect();
            let right = quotes.iter().filter(|grade| grade.is_some()).count() as f32;
            println!(
                "  {:<11} {:>4}: first quote explains {:.3}, at least mentions {:.3}; of {} quotes right {:.3}",
                format!("{kind:?}").trim_start_matches("Some(").trim_end_matches(')').to_lowercase(),
                own.len(),
                share(Grade::Explains),
                share(Grade::Mentions),
                quotes.len(),
                right / quotes.len().max(1) as f32
            );
        }
        let refused: Vec<&&Outcome> =
            outcomes.iter().filter(|outcome| outcome.explanation.kind.is_none()).collect();
        let wrongly = refused.iter().filter(|outcome| outcome.case.truth.is_documented()).count();
        let n_documented = outcomes.iter().filter(|outcome| outcome.case.truth.is_documented()).count();
        let answered = (outcomes.len() - n_documented) - (refused.len() - wrongly);
        println!(
            "  refused     {:>4}: {:.3} of them documented; {:.3} of the documented refused, {:.3} of the undocumented answered",
            refused.len(),
            wrongly as f32 / refused.len().max(1) as f32,
            wrongly as f32 / n_documented.max(1) as f32,
            answered as f32 / (outcomes.len() - n_documented).max(1) as f32
        );
    }
}

/// Writes every answer, a JSON object a line.
pub(super) fn write_answers(outcomes: &[Outcome], file: &Path) -> Result<()> {
    let mut out = std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    for Outcome { case, explanation, grades } in outcomes {
        let line = serde_json::json!({
            "id": case.id, "repo": case.repo, "path": case.path, "line": case.lines.0, "name": case.name,
            "is_documented": case.truth.is_documented(), "grades": grades, "explanation": explanation,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
