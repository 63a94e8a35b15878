//! What an answer is worth, as far as labels and readers say.

use craig_explain::{Features, Form, Judge, Kind};

use super::cases::{Candidate, Example, Judgement, Place, Truth};

/// What is shown of a definition first.
pub(super) struct Answer {
    /// Its place among those of the example.
    pub(super) shown: Option<usize>,
    pub(super) kind: Option<Kind>,
    pub(super) confidence: f32,
    pub(super) worth: Worth,
}

/// What an answer or a refusal is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    Good,
    Bad,
    /// Nobody has judged it.
    Unknown,
}

impl Answer {
    pub(super) fn new(judge: &Judge, example: &Example) -> Self {
        let rows: Vec<Features> = example.places.iter().map(|one| one.found.features).collect();
        let probabilities = judge.probabilities(&rows);
        let best = |is_wanted: &dyn Fn(&Candidate) -> bool, least: f32| {
            let places = example.places.iter().zip(&probabilities).enumerate();
            let wanted = places.filter(|(_, (one, p))| is_wanted(one) && **p >= least);
            wanted.max_by(|a, b| a.1.1.total_cmp(b.1.1).then(b.0.cmp(&a.0))).map(|(at, _)| at)
        };
        let documented = best(&|one| one.found.is_name(), judge.documented);
        let mentioned = best(&|_| true, judge.mentioned);
        let (shown, kind) = match (documented, mentioned) {
            (Some(at), _) => (Some(at), Some(Kind::Documented)),
            (None, Some(at)) => (Some(at), Some(Kind::Mentioned)),
            (None, None) => (None, None),
        };
        let likeliest = probabilities.iter().copied().fold(0.0, f32::max);
        let confidence = shown.map_or(likeliest, |at| probabilities[at]);
        Self { shown, kind, confidence, worth: worth(example, shown.map(|at| &example.places[at])) }
    }

    /// What is wrong with it, if anything is.
    pub(super) fn miss(&self) -> Option<String> {
        let what = self.kind.map_or("refused".to_owned(), |kind| format!("{kind:?}").to_lowercase());
        (self.worth == Worth::Bad).then_some(what)
    }
}

/// Whether a place quotes a line: the section, where its heading is or has the name; else the few lines of a quote.
pub(super) fn is_about(one: &Candidate, place: &Place) -> bool {
    let is_near = (one.line.saturating_sub(1)..=one.line + 2).contains(&place.line);
    one.holds(place) && (matches!(one.found.form, Form::Heading | Form::Topic) || is_near)
}

fn worth(example: &Example, shown: Option<&Candidate>) -> Worth {
    let is_about_any =
        |places: &[Place]| shown.is_some_and(|one| places.iter().any(|place| is_about(one, place)));
    let good_if = |is_good: bool| if is_good { Worth::Good } else { Worth::Bad };
    match &example.truth {
        Truth::Nothing => good_if(shown.is_none()),
        Truth::Sections(expected) => {
            let is_expected = |one: &Candidate| {
                expected.iter().any(|place| place.file == one.file && place.line == one.section.0)
            };
            good_if(shown.map_or(expected.is_empty(), is_expected))
        }
        Truth::Answer { judgement: Judgement::Good, .. } | Truth::Lines(_) if shown.is_none() => Worth::Bad,
        Truth::Answer { judgement: Judgement::Good, quotes } | Truth::Lines(quotes) => {
            if is_about_any(quotes) { Worth::Good } else { Worth::Unknown }
        }
        Truth::Answer { .. } if shown.is_none() => Worth::Good,
        Truth::Answer { quotes, .. } => {
            let is_quoted =
                |one: &Candidate| quotes.iter().any(|place| place.file == one.file && place.line == one.line);
            if shown.is_some_and(is_quoted) { Worth::Bad } else { Worth::Unknown }
        }
    }
}

/// Outcomes of a set of definitions.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) n: usize,
    /// Of what is documented, what is mentioned and what is refused: good, bad, unknown.
    of: [[usize; 3]; 3],
    /// Definitions that are documented, and how many of them are shown rightly.
    documented: usize,
    right: usize,
}

const NAMES: [&str; 3] = ["documented", "mentioned", "refused"];

impl Counts {
    pub(super) fn from_answers<'e>(answers: impl Iterator<Item = (&'e Example, &'e Answer)>) -> Self {
        let mut counts = Self::default();
        for (example, answer) in answers {
            let row = answer.kind.map_or(2, |kind| usize::from(kind == Kind::Mentioned));
            counts.n += 1;
            counts.of[row][answer.worth as usize] += 1;
            let is_documented = match &example.truth {
                Truth::Nothing => false,
                Truth::Sections(expected) => !expected.is_empty(),
                Truth::Answer { judgement, .. } => *judgement == Judgement::Good,
                Truth::Lines(_) => true,
            };
            counts.documented += usize::from(is_documented);
            counts.right +=
                usize::from(is_documented && answer.shown.is_some() && answer.worth == Worth::Good);
        }
        counts
    }

    /// A line of each kind of answer, and one of what is documented.
    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let line = |(kind, of): (&str, &[usize; 3])| {
            let [good, bad, unknown] = of;
            format!(
                "{name}: {kind:<10} {good:>5} good {bad:>4} bad {unknown:>4} unknown, good {}",
                share(*good, good + bad)
            )
        };
        let all = format!(
            "{name}: {} definitions, {} documented, shown rightly {}",
            self.n,
            self.documented,
            share(self.right, self.documented)
        );
        NAMES.into_iter().zip(&self.of).map(line).chain([all]).collect()
    }

    /// Shares of good answers by kind with their numbers, on one line.
    pub(super) fn short(&self) -> String {
        let cell = |(name, [good, bad, _]): (&str, &[usize; 3])| {
            format!("{name} {} of {:>4}", share(*good, good + bad), good + bad)
        };
        let cells: Vec<String> = NAMES.into_iter().zip(&self.of).map(cell).collect();
        format!("{}, shown rightly {}", cells.join(", "), share(self.right, self.documented))
    }
}

fn share(n: usize, total: usize) -> String {
    if total == 0 { "    –".to_owned() } else { format!("{:.3}", n as f64 / total as f64) }
}
