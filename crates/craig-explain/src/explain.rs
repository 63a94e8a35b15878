//! Explains a selection of code from a library: evidence, gate, quotes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::{CodeContext, Subject};
use crate::evidence::evidence;
use crate::extract::quotes;
use crate::gate::{Verdict, gate};
use crate::library::{Library, Place};

/// What is answered when the documentation says nothing of the selection.
pub const NOT_DOCUMENTED: &str = "Not documented.";

/// Most sections that an explanation cites.
const MAX_CITATIONS: usize = 5;

/// Sections after the third are cited only when they are at most this much less likely than the best, in log-odds.
const FAR_BEHIND: f32 = 3.0;

/// What the documentation says of a selection.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Sentences of the documentation as a Markdown list, or exactly "Not documented."
    pub explanation: String,
    /// Where the explanation is from, the most relevant section first; empty when nothing is documented.
    pub citations: Vec<Citation>,
    /// Probability that the documentation is about the selection.
    pub confidence: f32,
    /// Whether there is an explanation.
    pub has_relevant_docs: bool,
    /// Name that was looked for.
    pub symbol: Option<String>,
    /// The sentences one by one.
    pub bullets: Vec<Bullet>,
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
            citations: Vec::new(),
            confidence: rounded(confidence),
            has_relevant_docs: false,
            symbol: symbol.map(str::to_owned),
            bullets: Vec::new(),
        }
    }

    /// Two or three lines for a tooltip: one or two sentences and where they are from; none when nothing is documented.
    pub fn hover(&self) -> Option<String> {
        let of_best = self.bullets.iter().filter(|bullet| bullet.citation == 0);
        let mut bullets = of_best.chain(self.bullets.iter().filter(|bullet| bullet.citation != 0));
        let first = bullets.next()?;
        let second = bullets.next().filter(|second| {
            second.citation == first.citation && first.text.len() + second.text.len() < HOVER_BYTES
        });
        let cited = self.citations.get(first.citation)?;
        let sentences = [Some(first), second].into_iter().flatten();
        let mut lines: Vec<String> = sentences.map(|bullet| on_one_line(&bullet.text)).collect();
        let heading = cited.section_heading.trim();
        lines.push(format!("*{}:{} · {heading}*", cited.file_path, cited.heading_line));
        Some(lines.join("\n"))
    }

    /// The whole explanation as Markdown: each sentence a bullet with its citation.
    pub fn markdown(&self) -> String {
        let title = self.symbol.as_deref().map(|symbol| format!("# `{symbol}`\n\n")).unwrap_or_default();
        if !self.has_relevant_docs {
            return format!("{title}{NOT_DOCUMENTED}\n");
        }
        let bullet = |bullet: &Bullet| {
            let cited = &self.citations[bullet.citation];
            format!(
                "- {}  \n  *{}:{} · {} · {:.0}%*\n",
                on_one_line(&bullet.text),
                cited.file_path,
                bullet.line,
                cited.section_heading,
                cited.relevance_score * 100.0
            )
        };
        let bullets: String = self.bullets.iter().map(bullet).collect();
        format!("{title}{bullets}\n*Confidence {:.0}%*\n", self.confidence * 100.0)
    }
}

/// Two sentences longer than this are too much for a tooltip.
const HOVER_BYTES: usize = 400;

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Explains a selection from a library: the first subject of which the gate is sure.
pub fn explain(library: &Library, context: &CodeContext) -> Explanation {
    match sure(library, context) {
        Ok((subject, verdict)) => documented(library, subject, &verdict),
        Err(confidence) => Explanation::not_documented(context.symbol(), confidence),
    }
}

/// The first subject of which the gate is sure; else how sure it is of the likeliest.
fn sure<'c>(library: &Library, context: &'c CodeContext) -> Result<(&'c Subject, Verdict), f32> {
    let gate = gate();
    let mut confidence = None;
    for subject in &context.subjects {
        let verdict = gate.judge(&evidence(library, context, subject));
        if verdict.confidence >= gate.threshold {
            return Ok((subject, verdict));
        }
        confidence.get_or_insert(verdict.confidence);
    }
    Err(confidence.unwrap_or(0.0))
}

fn documented(library: &Library, subject: &Subject, verdict: &Verdict) -> Explanation {
    let cited = cited(&verdict.ranked);
    let best = cited.first().map_or(0.0, |(_, score)| *score);
    let places: Vec<usize> = cited.iter().map(|(at, _)| *at).collect();
    let citations: Vec<Citation> = cited
        .iter()
        .map(|&(at, score)| citation(library.place(at), verdict.confidence * (score - best).exp()))
        .collect();
    let quotes = quotes(library, &places, subject);
    let bullet = |quote: crate::extract::Quote| {
        let page = library.place(places[quote.citation]).page;
        let line =
            page.text.as_bytes()[..quote.bytes.start].iter().filter(|byte| **byte == b'\n').count() + 1;
        Bullet {
            text: page.text[quote.bytes].to_owned(),
            citation: quote.citation,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    };
    let mut bullets: Vec<Bullet> = quotes.into_iter().map(bullet).collect();
    if bullets.is_empty() {
        // A section of code alone: what it is called is all that it says in words.
        bullets.extend(citations.first().map(|cited| Bullet {
            text: cited.section_heading.clone(),
            citation: 0,
            line: cited.heading_line,
        }));
    }
    let lines: Vec<String> = bullets.iter().map(|bullet| format!("- {}", bullet.text)).collect();
    Explanation {
        explanation: lines.join("\n"),
        citations,
        confidence: rounded(verdict.confidence),
        has_relevant_docs: true,
        symbol: Some(subject.name.clone()),
        bullets,
    }
}

fn cited(ranked: &[(usize, f32)]) -> Vec<(usize, f32)> {
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    let is_near = |(rank, (_, score)): &(usize, &(usize, f32))| *rank < 3 || best - score < FAR_BEHIND;
    ranked.iter().take(MAX_CITATIONS).enumerate().filter(is_near).map(|(_, one)| *one).collect()
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

/// Three places behind the point: more would only be noise.
fn rounded(x: f32) -> f32 {
    (x.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hover_names_the_section_that_it_quotes() {
        let cited = |heading: &str, line| Citation {
            file_path: "docs/client.md".into(),
            section_heading: heading.into(),
            heading_line: line,
            relevance_score: 0.9,
        };
        let explanation = Explanation {
            explanation: "- A client of one server.".into(),
            citations: vec![cited("Client", 1), cited("Class: `Client`", 3)],
            confidence: 0.9,
            has_relevant_docs: true,
            symbol: Some("Client".into()),
            bullets: vec![Bullet { text: "A client of one server.".into(), citation: 1, line: 5 }],
        };
        let hover = explanation.hover().unwrap();
        assert_eq!(hover, "A client of one server.\n*docs/client.md:3 · Class: `Client`*");
    }
}
