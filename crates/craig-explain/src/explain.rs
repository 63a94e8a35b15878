//! Explains a selection of code from a library: evidence, gate, quotes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::comment::Comment;
use crate::context::{CodeContext, Subject, is_same_owner, owner_likeness};
use crate::evidence::{Evidence, evidence, is_history};
use crate::extract::{Cited, explains, is_direct, quotes};
use crate::gate::{Verdict, gate};
use crate::library::{Library, Place};
use crate::mentioned::{MentionFeatures, MentionWeights, mention_features};
use crate::names::is_plain_word;

/// What is answered when the documentation says nothing of the selection.
pub const NOT_DOCUMENTED: &str = "Not documented.";

/// Most sections that an explanation cites.
const MAX_CITATIONS: usize = 5;

/// Only sections that are at most this much less likely than the best are cited, in log-odds.
const FAR_BEHIND: f32 = 3.0;

/// Most sections that are tried, one after the other, until one yields a quote: a page's title may have no text, and so may
/// the entry of a table of contents.
const MAX_TRIED: usize = 6;

/// Least confidence of an explanation. Of judged quotes (`evals/explain.judged.json`) 0.92 were good and 0.03 wrong above it,
/// 0.8 and 0.09 below. Above 0.95, 0.94 were good and 0.006 wrong, but short pages of small projects do not reach that.
pub(crate) const MIN_DOCUMENTED: f32 = 0.9;

/// Least confidence for a name that is a word of the language, too: judged by reading, a third of the answers below were good.
const MIN_OF_WORD: f32 = 0.7;

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
    /// Probability that the documentation is about the selection; if it only mentions it, that the mention helps.
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
    /// Whether the first of them is surely about the symbol, and in a page that is not about changes.
    #[serde(skip)]
    pub(crate) is_direct: bool,
    /// The features from which the confidence of a mention is computed.
    #[serde(skip)]
    pub mention: Option<MentionFeatures>,
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
            is_direct: false,
            mention: None,
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
        self.kind == Some(Kind::Documented) && self.is_direct
    }
}

/// Explains a selection from a library: the first subject of which the gate is sure, or what that overrides.
pub fn explain(library: &Library, context: &CodeContext) -> Explanation {
    let gate = gate();
    let mut refused: Option<(&Subject, Explanation)> = None;
    let mut confidence = None;
    for subject in &context.subjects {
        if refused.is_some() && !subject.is_base {
            break;
        }
        let evidence = evidence(library, context, subject);
        let judged = gate.judge(&evidence).confidence;
        confidence.get_or_insert(judged);
        if judged < gate.threshold {
            continue;
        }
        let explanation = documented(library, subject, &evidence);
        if explanation.has_relevant_docs {
            return Explanation { comment: subject.comment.clone(), ..explanation };
        }
        refused.get_or_insert((subject, explanation));
    }
    match refused {
        Some((subject, explanation)) => Explanation { comment: subject.comment.clone(), ..explanation },
        None => Explanation {
            comment: context.subjects.first().and_then(|subject| subject.comment.clone()),
            ..Explanation::not_documented(context.symbol(), confidence.unwrap_or_default())
        },
    }
}

/// What the best section says about the subject, then one sentence from each other section that describes it. A section
/// that yields no quote makes way for the next one, as long as the gate is sure of that; else a refusal.
fn documented(library: &Library, subject: &Subject, evidence: &Evidence) -> Explanation {
    let gate = gate();
    let least = if is_plain_word(&subject.name) { MIN_OF_WORD } else { gate.threshold };
    let verdicts = (0..MAX_TRIED).map(|n_skipped| gate.judge_from(evidence, n_skipped));
    verdicts
        .enumerate()
        .filter(|(_, verdict)| verdict.confidence >= least)
        .find_map(|(n_skipped, verdict)| {
            // A section that is not the best must be surely about it.
            quoted(library, subject, evidence, &verdict).filter(|found| n_skipped == 0 || found.is_direct)
        })
        .filter(|found| found.mention.is_none() || found.confidence >= MentionWeights::builtin().threshold)
        .unwrap_or_else(|| Explanation::not_documented(Some(&subject.name), 0.0))
}

fn quoted(
    library: &Library,
    subject: &Subject,
    evidence: &Evidence,
    verdict: &Verdict,
) -> Option<Explanation> {
    let cited = cited(&verdict.ranked);
    let best_score = cited.first().map_or(0.0, |(_, score)| *score);
    let places: Vec<Cited> = cited.iter().map(|(at, _)| place(library, subject, evidence, *at)).collect();
    let quotes = quotes(library, &places, subject);
    let first = quotes.first()?;
    let best = places[first.citation];
    let is_direct = !is_history(library.place(best.at)) && is_direct(library, best, subject, &first.bytes);
    // Only what is quoted is cited.
    let mut quoted: Vec<usize> = quotes.iter().map(|quote| quote.citation).collect();
    quoted.dedup();
    let citations: Vec<Citation> = quoted
        .iter()
        .map(|&of| (cited[of].0, verdict.confidence * (cited[of].1 - best_score).exp()))
        .map(|(at, relevance)| citation(library.place(at), relevance))
        .collect();
    let is_sure = verdict.confidence >= MIN_DOCUMENTED;
    let mut kind = if is_sure { Kind::Documented } else { Kind::Mentioned };
    let bullet = |quote: crate::extract::Quote| {
        let page = library.place(places[quote.citation].at).page;
        let line =
            page.text.as_bytes()[..quote.bytes.start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let from = places[quote.citation];
        let is_owned = || subject.owner.is_none() || from.is_headed_by_owner;
        // Everything after a mention is one, too: explanations come first.
        if kind == Kind::Documented && !(is_owned() && explains(library, from, subject, &quote.bytes)) {
            kind = Kind::Mentioned;
        }
        Bullet {
            kind,
            text: page.text[quote.bytes].to_owned(),
            citation: quoted.iter().position(|&of| of == quote.citation).unwrap_or_default(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    };
    let bullets: Vec<Bullet> = quotes.into_iter().map(bullet).collect();
    let kind = bullets.iter().map(|bullet| bullet.kind).min();
    let mention = (kind == Some(Kind::Mentioned)).then(|| mention_features(evidence, best.at));
    let of_mention = mention.map(|features| MentionWeights::builtin().probability(&features));
    Some(Explanation {
        explanation: listed(&bullets, &citations),
        kind,
        citations,
        confidence: rounded(of_mention.unwrap_or(verdict.confidence)),
        has_relevant_docs: true,
        symbol: Some(subject.name.clone()),
        bullets,
        comment: None,
        is_direct,
        mention,
    })
}

/// Share of the names beside a subject that a page is about, from which on it is about what they all belong to.
const OWNED_KIN: f32 = 0.25;

fn place(library: &Library, subject: &Subject, evidence: &Evidence, at: usize) -> Cited {
    let features = evidence.features_at(at);
    let is_owned = features.owned > 0.0 || features.page_kin >= OWNED_KIN;
    let owner_in_headings = features.heading_owner
        + features.heading_ancestor
        + features.heading_is_owner
        + features.page_is_owner
        + features.above_is_owner
        + features.above_is_ancestor
        + features.qualified;
    let is_headed_by_owner = owner_in_headings > 0.0 || is_below_argument(library.place(at), subject);
    Cited { at, is_owned, is_headed_by_owner }
}

/// Whether a section stands below what takes the subject's owner as its arguments: `prefetch` of `LinkProps` below "Link".
fn is_below_argument(place: Place<'_>, subject: &Subject) -> bool {
    let takes =
        subject.owner.as_deref().and_then(|owner| ARGUMENTS.iter().find_map(|end| owner.strip_suffix(end)));
    let mut above = place.section.outline.path.iter().map(String::as_str).chain([place.page.stem()]);
    let likeness = |owner: &String| owner_likeness(&place.section.outline.heading, owner);
    let is_like_heading = |owner: &String| {
        let is_liker = |other: &String| likeness(other) > likeness(owner);
        likeness(owner) >= LIKE_OWNER && !subject.namesakes.iter().any(is_liker)
    };
    takes.is_some_and(|taker| above.any(|heading| is_same_owner(heading, taker)))
        || subject.owner.as_ref().is_some_and(is_like_heading)
}

/// A heading that shares so many of its words with an owner's name is about it: "Database page" of `DatabaseContext`.
const LIKE_OWNER: f32 = 0.5;

/// Endings of the names of types that hold another thing's arguments.
const ARGUMENTS: &[&str] = &["Props", "Options", "Config", "Params", "Args", "Settings"];

fn cited(ranked: &[(usize, f32)]) -> Vec<(usize, f32)> {
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    ranked.iter().take(MAX_CITATIONS).filter(|(_, score)| best - score < FAR_BEHIND).copied().collect()
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
