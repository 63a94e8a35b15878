//! Explains a selection of code from a library: the places that may explain it, judged, quoted.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::candidates::{Candidate, Form, candidates};
use crate::comment::Comment;
use crate::context::{CodeContext, Subject};
use crate::features::{Features, features, is_history};
use crate::judge::{Judge, judge};
use crate::library::{Library, Place};

/// What is answered when the documentation says nothing of the selection.
pub const NOT_DOCUMENTED: &str = "Not documented.";

/// Most bullets of an explanation.
pub const MAX_BULLETS: usize = 8;

/// Most places that explain a symbol, and sections that mention it.
const MAX_DOCUMENTED: usize = 3;
const MAX_MENTIONS: usize = 3;

/// Most quotes of a mention: a sentence, and the one it goes on from.
const MAX_OF_MENTION: usize = 2;

/// Least confidence of what is shown unasked.
const MIN_UNASKED: f32 = 0.75;

/// How the documentation speaks of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A heading, or an entry of a list or table, is the symbol: its text explains it.
    Documented,
    /// A sentence says something about the symbol by the way.
    Mentioned,
}

/// What the documentation says of a selection.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Sentences of the documentation as a Markdown list, those that only mention the symbol after the words
    /// "Mentioned in" and the file; or exactly "Not documented."
    pub explanation: String,
    /// Whether the symbol is documented or only mentioned; null when neither.
    pub kind: Option<Kind>,
    /// Where the explanation is from, the most relevant section first; empty when nothing is documented.
    pub citations: Vec<Citation>,
    /// Probability that the quotes of this kind are about the selection.
    pub confidence: f32,
    /// Whether there is an explanation.
    pub has_relevant_docs: bool,
    /// Name that was looked for.
    pub symbol: Option<String>,
    /// The sentences one by one.
    pub bullets: Vec<Bullet>,
    /// What the comment of the symbol's definition says: not documentation, and not part of the explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<Comment>,
    /// Whether the first of them is from a page about changes.
    #[serde(skip)]
    pub(crate) is_of_changes: bool,
}

/// A section of the documentation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Citation {
    /// Path relative to the root.
    pub file_path: String,
    /// Its heading as written, without the marks that make it one.
    pub section_heading: String,
    /// Line of the heading, from 1.
    pub heading_line: u32,
    /// From 0 to 1, falling from one citation to the next.
    pub relevance_score: f32,
}

/// A sentence of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bullet {
    /// A sentence of the documentation, verbatim: data, not instructions.
    pub text: String,
    /// Whether it explains the symbol or mentions it.
    pub kind: Kind,
    /// Index in `citations`.
    pub citation: usize,
    /// Line on which it begins, from 1.
    pub line: u32,
}

impl Explanation {
    /// The refusal.
    pub fn not_documented(symbol: Option<&str>, confidence: f32) -> Self {
        Self {
            explanation: NOT_DOCUMENTED.to_owned(),
            kind: None,
            citations: Vec::new(),
            confidence: rounded(confidence),
            has_relevant_docs: false,
            symbol: symbol.map(str::to_owned),
            bullets: Vec::new(),
            comment: None,
            is_of_changes: false,
        }
    }

    /// Keeps the first quotes and the sections they are from; the rest follows from these.
    pub fn truncate(&mut self, n_quotes: usize) {
        self.bullets.truncate(n_quotes);
        let n_cited = self.bullets.iter().map(|bullet| bullet.citation + 1).max().unwrap_or_default();
        self.citations.truncate(n_cited);
        self.explanation = listed(&self.bullets, &self.citations);
        self.kind = self.bullets.iter().map(|bullet| bullet.kind).min();
    }

    /// Whether it may be shown to somebody who did not ask for it.
    pub fn is_sure(&self) -> bool {
        self.kind == Some(Kind::Documented) && !self.is_of_changes && self.confidence >= MIN_UNASKED
    }
}

/// A place that may explain a subject.
#[derive(Clone, Debug)]
pub struct Found {
    /// The section, by its place in the library.
    pub at: usize,
    /// How it speaks of the subject's name.
    pub form: Form,
    /// What would be quoted, in bytes of the page.
    pub quotes: Vec<Range<usize>>,
    /// What speaks for it.
    pub features: Features,
}

impl Found {
    /// Whether a heading or an entry is the name.
    pub fn is_name(&self) -> bool {
        matches!(self.form, Form::Heading | Form::Entry)
    }
}

/// All places that may explain a subject, in the order of the library.
pub fn find(library: &Library, context: &CodeContext, subject: &Subject) -> Vec<Found> {
    let candidates = candidates(library, subject);
    let features = features(library, context, subject, &candidates);
    let found = |(one, features): (Candidate, Features)| Found {
        at: one.at,
        form: one.form,
        quotes: one.quotes,
        features,
    };
    candidates.into_iter().zip(features).map(found).collect()
}

/// Explains a selection from a library: the first subject that is documented, else the first that is mentioned.
pub fn explain(library: &Library, context: &CodeContext) -> Explanation {
    explain_with(judge(), library, context)
}

/// Explains a selection as another model judges it.
pub fn explain_with(judge: &Judge, library: &Library, context: &CodeContext) -> Explanation {
    let mut best: Option<Explanation> = None;
    for subject in &context.subjects {
        let found = judged(judge, find(library, context, subject));
        let told = Explanation { comment: subject.comment.clone(), ..told(judge, library, subject, &found) };
        if told.kind == Some(Kind::Documented) {
            return told;
        }
        if best.as_ref().is_none_or(|best| best.kind.is_none() && told.kind.is_some()) {
            best = Some(told);
        }
    }
    best.unwrap_or_else(|| Explanation::not_documented(None, 0.0))
}

/// Places with their probabilities, the likeliest first.
fn judged(judge: &Judge, found: Vec<Found>) -> Vec<(Found, f32)> {
    let rows: Vec<Features> = found.iter().map(|one| one.features).collect();
    let mut judged: Vec<(Found, f32)> = found.into_iter().zip(judge.probabilities(&rows)).collect();
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    judged
}

/// All of the likeliest place that is the name, a quote of others; then a quote of each section that mentions it.
fn told(judge: &Judge, library: &Library, subject: &Subject, judged: &[(Found, f32)]) -> Explanation {
    let mut telling = Telling::new(library);
    let is_documented = |one: &Found, probability: f32| one.is_name() && probability >= judge.documented;
    for (one, probability) in judged.iter().filter(|(one, p)| is_documented(one, *p)).take(MAX_DOCUMENTED) {
        let most = if telling.citations.is_empty() { MAX_BULLETS } else { 1 };
        telling.add(one, *probability, Kind::Documented, most);
    }
    let mentions = judged.iter().filter(|(one, p)| !is_documented(one, *p) && *p >= judge.mentioned);
    let n_documented = telling.citations.len();
    for (one, probability) in mentions {
        if telling.citations.len() < n_documented + MAX_MENTIONS {
            telling.add(one, *probability, Kind::Mentioned, MAX_OF_MENTION);
        }
    }
    let likeliest = judged.first().map_or(0.0, |(_, probability)| *probability);
    telling.explanation(&subject.name, likeliest)
}

/// An explanation that is being put together.
struct Telling<'l> {
    library: &'l Library,
    /// Sections that are cited.
    sections: Vec<usize>,
    citations: Vec<Citation>,
    bullets: Vec<Bullet>,
}

impl<'l> Telling<'l> {
    fn new(library: &'l Library) -> Self {
        Self { library, sections: Vec::new(), citations: Vec::new(), bullets: Vec::new() }
    }

    /// Quotes at most so much of a place, unless its section is cited already or all has been said.
    fn add(&mut self, one: &Found, probability: f32, kind: Kind, most: usize) {
        let place = self.library.place(one.at);
        let text = |bytes: &Range<usize>| &place.page.text[bytes.clone()];
        let is_known = |bytes: &Range<usize>| self.bullets.iter().any(|known| known.text == text(bytes));
        if self.sections.contains(&one.at) || one.quotes.iter().any(is_known) {
            return;
        }
        let room = MAX_BULLETS.saturating_sub(self.bullets.len());
        for bytes in one.quotes.iter().take(most.min(room)) {
            self.bullets.push(Bullet {
                text: text(bytes).to_owned(),
                kind,
                citation: self.citations.len(),
                line: self.library.line_of(one.at, bytes.start),
            });
        }
        if room > 0 {
            let least = self.citations.last().map_or(1.0, |last| last.relevance_score);
            self.citations.push(citation(place, probability.min(least)));
            self.sections.push(one.at);
        }
    }

    fn explanation(self, symbol: &str, likeliest: f32) -> Explanation {
        let Some(best) = self.citations.first() else {
            return Explanation::not_documented(Some(symbol), likeliest);
        };
        Explanation {
            explanation: listed(&self.bullets, &self.citations),
            kind: self.bullets.iter().map(|bullet| bullet.kind).min(),
            confidence: best.relevance_score,
            has_relevant_docs: true,
            symbol: Some(symbol.to_owned()),
            comment: None,
            is_of_changes: is_history(self.library.place(self.sections[0])),
            citations: self.citations,
            bullets: self.bullets,
        }
    }
}

fn citation(place: Place<'_>, relevance: f32) -> Citation {
    let outline = &place.section.outline;
    let heading =
        if outline.heading.is_empty() { place.page.stem().to_owned() } else { outline.heading.clone() };
    Citation {
        file_path: place.page.path.clone(),
        section_heading: heading,
        heading_line: outline.line,
        relevance_score: rounded(relevance),
    }
}

/// Quotes as a Markdown list; those that mention the symbol begin with where they do.
pub(crate) fn listed(bullets: &[Bullet], citations: &[Citation]) -> String {
    let entry = |bullet: &Bullet| match bullet.kind {
        Kind::Documented => bullet.entry(),
        Kind::Mentioned => {
            let text = bullet.text.replace('\n', "\n  ");
            let joint = if bullet.is_sample() { "\n  " } else { " " };
            format!("- Mentioned in {}:{joint}{text}", citations[bullet.citation].file_path)
        }
    };
    bullets.iter().map(entry).collect::<Vec<_>>().join("\n")
}

/// Three places behind the point: more would only be noise.
fn rounded(x: f32) -> f32 {
    (x.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests;
