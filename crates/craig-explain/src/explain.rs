//! Explains a selection of code from a library: the passages that most likely explain it, quoted.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::comment::Comment;
use crate::context::CodeContext;
use crate::library::{Library, Place};
use crate::names::words_of;
use crate::passage::{Form, Passage, PassageRanker, Statement, passages};
use crate::sentence::announces;

/// What is answered when the documentation says nothing of the selection.
pub const NOT_DOCUMENTED: &str = "Not documented.";

/// Most sections that an explanation cites.
const MAX_CITATIONS: usize = 5;

/// Most quotes of an explanation.
pub const MAX_BULLETS: usize = 8;

/// Most passages of the best section.
const MAX_OF_BEST: usize = 4;

/// Most entries of a list that are quoted behind what announces them.
const MAX_LISTED: usize = 6;

/// The best passage and those behind it in its section are quoted if their probability is at least this share of its own …
const KEPT: f32 = 0.8;

/// … and those before it, and of other sections. Held out, 0.7 of the second quotes were right then, and 0.7 of those of other
/// sections (0.6 with 0.8).
const KEPT_ELSEWHERE: f32 = 0.9;

/// Sentences at the beginning of a paragraph that are quoted before a later one: held out, they are right as often as that one.
const MAX_BEFORE: usize = 2;

/// Quotes that share more of their words say the same.
const SAME: f32 = 0.8;

/// How a quote relates to the symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A heading, or an entry of a list or table, is the symbol: its text explains it.
    Documented,
    /// A sentence elsewhere mentions the symbol.
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
    /// Probability that the first section explains the selection.
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
        self.kind == Some(Kind::Documented)
    }
}

/// Explains the first subject of a selection that the documentation explains.
pub fn explain(library: &Library, context: &CodeContext) -> Explanation {
    explain_by(PassageRanker::builtin(), library, context)
}

/// Like [`explain`], with another ranker; used to evaluate rankers on repositories that they were not fitted to.
pub fn explain_by(ranker: &PassageRanker, library: &Library, context: &CodeContext) -> Explanation {
    let mut confidence = None;
    for subject in &context.subjects {
        let answer = Answer::new(ranker, library, passages(library, context, subject));
        confidence.get_or_insert(answer.best);
        if answer.best >= ranker.threshold {
            return Explanation { comment: subject.comment.clone(), ..answer.explanation(&subject.name) };
        }
    }
    Explanation {
        comment: context.subjects.first().and_then(|subject| subject.comment.clone()),
        ..Explanation::not_documented(context.symbol(), confidence.unwrap_or_default())
    }
}

/// The passages that may explain a subject, in the order of the library, with their probabilities.
struct Answer<'a> {
    ranker: &'a PassageRanker,
    library: &'a Library,
    passages: Vec<Passage>,
    probabilities: Vec<f32>,
    /// Probability of the best passage; 0 without passages.
    best: f32,
}

impl<'a> Answer<'a> {
    fn new(ranker: &'a PassageRanker, library: &'a Library, passages: Vec<Passage>) -> Self {
        let probabilities = ranker.probabilities(&passages);
        let best = probabilities.iter().copied().fold(0.0, f32::max);
        Self { ranker, library, passages, probabilities, best }
    }

    fn explanation(&self, symbol: &str) -> Explanation {
        let quoted = self.quoted();
        let mut cited: Vec<usize> = quoted.iter().map(|&at| self.passages[at].at).collect();
        cited.dedup();
        let of_section = |section: &usize| {
            let own = quoted.iter().filter(|&&at| self.passages[at].at == *section);
            own.map(|&at| self.probabilities[at]).fold(0.0, f32::max)
        };
        let citations: Vec<Citation> =
            cited.iter().map(|section| citation(self.library.place(*section), of_section(section))).collect();
        let mut kind = Kind::Documented;
        let bullet = |at: usize| {
            // Everything after a mention is one, too: explanations come first.
            kind = kind.max(self.kind(at));
            let passage = &self.passages[at];
            Bullet {
                kind,
                text: self.text(at).to_owned(),
                citation: cited.iter().position(|&of| of == passage.at).unwrap_or_default(),
                line: u32::try_from(passage.lines(self.library).0).unwrap_or(u32::MAX),
            }
        };
        let bullets: Vec<Bullet> = quoted.iter().copied().map(bullet).collect();
        Explanation {
            explanation: listed(&bullets, &citations),
            kind: bullets.iter().map(|bullet| bullet.kind).min(),
            citations,
            confidence: rounded(self.best),
            has_relevant_docs: true,
            symbol: Some(symbol.to_owned()),
            bullets,
            comment: None,
        }
    }

    /// Indices of the passages to quote: several of the best section, then one of each other section.
    fn quoted(&self) -> Vec<usize> {
        let mut ranked: Vec<usize> = (0..self.passages.len()).collect();
        ranked.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]).then(a.cmp(&b)));
        let Some(&best) = ranked.first() else { return Vec::new() };
        let follows = |at: usize| at >= best && self.passages[at].at == self.passages[best].at;
        ranked.retain(|&at| {
            let kept = if follows(at) { KEPT } else { KEPT_ELSEWHERE };
            self.probabilities[at] >= kept * self.best
        });
        let mut found: Vec<usize> = Vec::new();
        let mut sections: Vec<usize> = Vec::new();
        for at in ranked.iter().map(|&at| self.passages[at].at) {
            if sections.len() < MAX_CITATIONS && !sections.contains(&at) {
                sections.push(at);
            }
        }
        for (rank, &section) in sections.iter().enumerate() {
            let most = if rank == 0 { MAX_OF_BEST } else { 1 };
            let own = ranked.iter().copied().filter(|&at| self.passages[at].at == section);
            let fresh: Vec<usize> =
                own.filter(|&at| !found.iter().any(|&known| self.is_same(known, at))).take(most).collect();
            let mut whole = self.with_neighbours(&fresh);
            // Explanations come first.
            whole.sort_by_key(|&at| (self.kind(at), at));
            found.extend(whole);
        }
        found.truncate(MAX_BULLETS);
        found
    }

    /// Passages of a section together with what begins their paragraphs, and announcements with what they announce.
    fn with_neighbours(&self, chosen: &[usize]) -> Vec<usize> {
        let mut found: BTreeSet<usize> = chosen.iter().copied().collect();
        let is_beside = |at: usize, other: usize| {
            self.passages.get(other).is_some_and(|passage| passage.at == self.passages[at].at)
        };
        for &at in chosen {
            found.extend(self.beginning_of_paragraph(at));
            if announces(self.text(at)) {
                let listed = (at + 1..).take_while(|&next| {
                    is_beside(at, next) && self.passages[next].statement.form != Form::Sentence
                });
                found.extend(listed.take(MAX_LISTED));
            }
        }
        found.into_iter().collect()
    }

    /// The sentences before one in its paragraph, unless they are many.
    fn beginning_of_paragraph(&self, at: usize) -> std::ops::Range<usize> {
        let passage = &self.passages[at];
        let Statement { form, unit, number, .. } = passage.statement;
        let is_of_paragraph = |before: &usize| {
            let other = &self.passages[at - before];
            other.at == passage.at && other.statement.unit == unit
        };
        if form != Form::Sentence || number > MAX_BEFORE {
            return at..at;
        }
        let n_before = (1..=number.min(at)).take_while(is_of_paragraph).count();
        at - n_before..at
    }

    fn text(&self, at: usize) -> &str {
        let passage = &self.passages[at];
        &self.library.place(passage.at).page.text[passage.statement.bytes.clone()]
    }

    /// Whether two passages are nearly the same.
    fn is_same(&self, a: usize, b: usize) -> bool {
        let words = |at: usize| words_of(self.text(at)).into_iter().collect::<BTreeSet<String>>();
        let (a, b) = (words(a), words(b));
        let shared = 2 * a.intersection(&b).count();
        shared as f32 > SAME * (a.len() + b.len()) as f32
    }

    /// A definition documents the symbol if the best passage is likely enough; everything else mentions it.
    fn kind(&self, at: usize) -> Kind {
        let is_sure = self.best >= self.ranker.documented;
        if is_sure && self.passages[at].is_definition { Kind::Documented } else { Kind::Mentioned }
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
            let joint = if bullet.is_sample() { "\n  " } else { " " };
            format!("- Mentioned in {}:{joint}{}", citations[bullet.citation].file_path, bullet.indented())
        }
    };
    bullets.iter().map(entry).collect::<Vec<_>>().join("\n")
}

/// Three places behind the point: more would only be noise.
fn rounded(x: f32) -> f32 {
    (x.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}
