//! What a language model is asked, and what of its answer is kept: only sentences that the documentation says.

use std::collections::{BTreeMap, BTreeSet};

use craig_model::StaticModel;
use craig_text::{DATA_NOTICE, fenced, lower_words, whole_words, without_control_tokens};
use serde::Serialize;

use crate::context::{CodeContext, clipped};
use crate::explain::{Bullet, Citation, Explanation, listed};
use crate::names::code_spans;
use crate::sentence;

/// The first sentence of every prompt.
pub const INSTRUCTION: &str = "Answer only from provided documentation excerpts.";

const RULES: &str = "Every excerpt has a number. Write at most five short sentences about the code, and end each with the \
    numbers of the excerpts that say it, such as [2]. Say nothing that no excerpt says: no general knowledge, no guesses. \
    If the excerpts say nothing about the code, answer exactly: Not documented.";

/// Most bytes of code in a prompt.
const CODE_BYTES: usize = 2_000;

/// A prompt, and the excerpts that its numbers stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The model's instructions.
    pub system: String,
    /// The numbered excerpts and the code.
    pub user: String,
    /// The excerpts in order of their numbers, which count from 1.
    pub excerpts: Vec<String>,
}

impl Prompt {
    /// Asks for an explanation in other words of what `extract` quotes.
    pub fn new(context: &CodeContext, extract: &Explanation) -> Self {
        let excerpts: Vec<String> = extract.bullets.iter().map(|bullet| bullet.text.clone()).collect();
        let mut user = format!("{DATA_NOTICE}\n\nDocumentation excerpts:\n");
        for (at, bullet) in extract.bullets.iter().enumerate() {
            let cited = &extract.citations[bullet.citation];
            user +=
                &format!("[{}] ({}, {}) {}\n", at + 1, cited.file_path, cited.section_heading, bullet.text);
        }
        let code = clipped(&context.selected_text, CODE_BYTES);
        user += &format!("\nExplain this code of {}:\n{}", context.file_name, fenced("", code));
        let user = without_control_tokens(&user).into_owned();
        Self { system: format!("{INSTRUCTION} {RULES}"), user, excerpts }
    }

    /// `extract`, whose quotes the excerpts are, in the words of an answer: the sentences that the excerpts bear out, each a
    /// bullet with the place of the first excerpt that it cites, and the sections they cite. None when no sentence holds.
    pub fn reworded(&self, extract: &Explanation, answer: &str) -> (Option<Explanation>, Sentences) {
        let judged = self.judged(answer);
        let mut counts = Sentences::default();
        judged.iter().filter_map(|one| one.verdict.as_ref().err()).for_each(|fault| counts.drop_for(*fault));
        let held = judged.into_iter().filter_map(|one| Some((one.text, one.verdict.ok()?)));
        let sentences: Vec<(String, Vec<usize>)> = held.take(MAX_SENTENCES).collect();
        counts.kept = sentences.len();
        if sentences.is_empty() {
            return (None, counts);
        }
        let of_excerpt = |excerpt: &usize| extract.bullets[*excerpt].citation;
        let cited: BTreeSet<usize> =
            sentences.iter().flat_map(|(_, excerpts)| excerpts.iter().map(of_excerpt)).collect();
        let citations: Vec<Citation> = cited.iter().map(|&at| extract.citations[at].clone()).collect();
        let bullet = |(text, excerpts): (String, Vec<usize>)| {
            let quote = &extract.bullets[excerpts[0]];
            let citation = cited.iter().position(|&at| at == quote.citation).unwrap_or_default();
            Bullet { text, kind: quote.kind, citation, line: quote.line }
        };
        let bullets: Vec<Bullet> = sentences.into_iter().map(bullet).collect();
        let reworded = Explanation {
            explanation: listed(&bullets, &citations),
            kind: bullets.iter().map(|bullet| bullet.kind).min(),
            citations,
            bullets,
            ..extract.clone()
        };
        (Some(reworded), counts)
    }

    /// Every sentence of an answer, in order, with the indices of the excerpts that bear it out, or why it is dropped.
    pub fn judged(&self, answer: &str) -> Vec<Judged> {
        let rarity = Rarity::from_excerpts(&self.excerpts);
        let mut found: Vec<Judged> = Vec::new();
        for line in answer.lines() {
            let line = markers_inside(line.trim().trim_start_matches(['-', '*', ' ']));
            for range in sentence::split(&line) {
                let sentence = &line[range];
                let (text, verdict) = match self.cited(sentence) {
                    None => (sentence.to_owned(), Err(Fault::Marker)),
                    Some((text, _)) if is_repeated(&found, &text) => (text, Err(Fault::Repeated)),
                    Some((text, cited)) => match self.fault(&text, &cited, &rarity) {
                        Some(fault) => (text, Err(fault)),
                        None => (text, Ok(cited)),
                    },
                };
                found.push(Judged { text, verdict });
            }
        }
        found
    }

    /// A sentence without its markers, and the excerpts they name; none when there is no marker or a wrong one.
    fn cited(&self, sentence: &str) -> Option<(String, Vec<usize>)> {
        let mut text = String::new();
        let mut cited = Vec::new();
        let mut rest = sentence;
        while let Some(open) = rest.find('[') {
            let (before, after) = rest.split_at(open);
            let close = after.find(']')?;
            let inside = &after[1..close];
            // `rows[0]` is code.
            let is_index = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
            let is_marker = !is_index
                && !inside.is_empty()
                && inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' '));
            text += before;
            if is_marker {
                for number in inside.split(',') {
                    let number: usize = number.trim().parse().ok()?;
                    cited.push(number.checked_sub(1).filter(|at| *at < self.excerpts.len())?);
                }
            } else {
                text += &after[..=close];
            }
            rest = &after[close + 1..];
        }
        text += rest;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
        cited.sort_unstable();
        cited.dedup();
        (!cited.is_empty() && !text.is_empty()).then_some((text, cited))
    }

    /// The first check that a sentence does not pass; none when the excerpts bear it out.
    fn fault(&self, text: &str, cited: &[usize], rarity: &Rarity) -> Option<Fault> {
        let source = cited.iter().map(|&at| self.excerpts[at].as_str()).collect::<Vec<_>>().join(" ");
        let has_own = |word: &&str| has_word(text, word) && !has_word(&source, word);
        let differ = |word: &&str| has_word(text, word) != has_word(&source, word);
        match () {
            () if is_speculative(text) => Some(Fault::Speculation),
            () if exact_tokens(text).iter().any(|token| !stands_in(&source, token)) => Some(Fault::Code),
            () if says_no(text) != says_no(&source) => Some(Fault::Negation),
            () if MODALS.iter().any(differ) => Some(Fault::Modality),
            () if CONTRASTS.iter().any(has_own) => Some(Fault::Contrast),
            () if rarity.coverage(text, &source) < LEAST_COVERAGE => Some(Fault::Coverage),
            () if similarity(text, &source) < LEAST_SIMILARITY => Some(Fault::Likeness),
            () => None,
        }
    }
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Without its markers, unless they are wrong.
    pub text: String,
    /// Indices of the excerpts that bear it out, ascending; else why it is dropped.
    pub verdict: Result<Vec<usize>, Fault>,
}

/// Why a sentence is dropped: the first check that it does not pass, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// It cites no excerpt, or one that there is not.
    Marker,
    /// It repeats an earlier one.
    Repeated,
    /// It guesses or generalises.
    Speculation,
    /// It has a name, number, flag or address that its excerpts do not have.
    Code,
    /// It says no where they do not, or the other way round.
    Negation,
    /// It is surer or less sure than they are, or has other conditions.
    Modality,
    /// It has a word whose opposite is as likely, and they do not have it.
    Contrast,
    /// Too few of its words are theirs.
    Coverage,
    /// It is too unlike them as a whole.
    Likeness,
}

/// What became of the sentences of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sentences {
    /// Sentences of the answer: at most five of those that pass.
    pub kept: usize,
    /// How many were dropped for what.
    pub dropped: BTreeMap<Fault, usize>,
}

impl Sentences {
    fn drop_for(&mut self, fault: Fault) {
        *self.dropped.entry(fault).or_default() += 1;
    }
}

fn is_repeated(found: &[Judged], text: &str) -> bool {
    found.iter().any(|one| one.verdict.is_ok() && one.text == text)
}

/// Most sentences that are kept of an answer: as many as are asked for.
const MAX_SENTENCES: usize = 5;

/// Share of a sentence's words, by rarity, that its excerpts must have.
const LEAST_COVERAGE: f32 = 0.6;

/// Cosine of a sentence and its excerpts by the built-in model.
const LEAST_SIMILARITY: f32 = 0.5;

const SPECULATION: &[&str] = &[
    "probably",
    "typically",
    "in general",
    "generally",
    "usually",
    "likely",
    "presumably",
    "perhaps",
    "might",
    "seems",
    "appears to",
    "i think",
    "commonly",
    "often",
    "possibly",
];

/// Words that say how sure or how general something is: a sentence has those of its excerpts, neither more nor fewer.
const MODALS: &[&str] = &[
    "must",
    "should",
    "may",
    "can",
    "could",
    "always",
    "never",
    "only",
    "required",
    "optional",
    "deprecated",
    "unless",
    "if",
    "when",
];

/// Words whose opposite is as like the excerpts as they are, so that likeness does not tell them apart: a sentence has none
/// that its excerpts lack.
const CONTRASTS: &[&str] = &[
    "before",
    "after",
    "until",
    "true",
    "false",
    "null",
    "undefined",
    "enable",
    "enables",
    "enabled",
    "disable",
    "disables",
    "disabled",
    "more",
    "less",
    "fewer",
    "greater",
    "smaller",
    "larger",
    "least",
    "most",
    "minimum",
    "maximum",
    "first",
    "last",
    "all",
    "any",
    "every",
    "each",
    "none",
    "same",
    "different",
    "synchronous",
    "synchronously",
    "asynchronous",
    "asynchronously",
    "default",
    "zero",
    "one",
    "two",
    "three",
    "will",
    "instead",
    "throws",
    "fails",
    "ignores",
    "ignored",
    "allows",
    "allowed",
    "prevents",
    "adds",
    "removes",
    "opens",
    "closes",
    "starts",
    "stops",
    "increases",
    "decreases",
    "includes",
    "excludes",
    "reads",
    "writes",
    "sends",
    "receives",
];
const NEGATIONS: &[&str] = &["not", "no", "never", "cannot", "without", "none", "neither", "nor"];

fn is_speculative(text: &str) -> bool {
    let lower = text.to_lowercase();
    SPECULATION.iter().any(|word| has_word(&lower, word))
}

fn says_no(text: &str) -> bool {
    NEGATIONS.iter().any(|word| has_word(text, word)) || text.contains("n't") || text.contains("n’t")
}

fn has_word(text: &str, word: &str) -> bool {
    stands_in(&text.to_lowercase(), word)
}

/// Whether `token` stands in `source` as a whole: `50` does not stand in `500`, nor `abort` in `abortAll`.
fn stands_in(source: &str, token: &str) -> bool {
    whole_words(source, token).next().is_some()
}

/// Tokens that must stand in the source letter by letter: code, numbers, flags, addresses.
fn exact_tokens(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = code_spans(text).map(str::to_owned).collect();
    for token in text.split_whitespace() {
        let token =
            token.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '(' | ')' | '`' | '"' | '\''));
        let is_code = token.contains(['_', '(', '=', '<', '{', '$', '#', '@', '/'])
            || token.trim_start_matches('-').len() < token.len()
            || token.contains('.')
            || token.chars().any(|c| c.is_ascii_digit())
            || token.chars().skip(1).any(char::is_uppercase);
        if is_code && token.chars().any(char::is_alphanumeric) {
            found.insert(token.to_owned());
        }
    }
    found
}

fn similarity(a: &str, b: &str) -> f32 {
    let model = StaticModel::builtin();
    model.document(a).cosine(&model.document(b))
}

/// Moves markers behind a full stop before it, so that they stay with their sentence.
fn markers_inside(line: &str) -> String {
    let mut text = line.to_owned();
    for stop in [". [", "! [", "? [", ".["] {
        while let Some(at) = text.find(stop) {
            let Some(close) = text[at..].find(']').map(|close| at + close) else { break };
            let marker = text[at + stop.len() - 1..=close].to_owned();
            let mark = text[at..=at].to_owned();
            text.replace_range(at..=close, &format!(" {marker}{mark}"));
        }
    }
    text
}

/// How rare words are among the excerpts.
struct Rarity {
    counts: BTreeMap<String, usize>,
    n: usize,
}

impl Rarity {
    fn from_excerpts(excerpts: &[String]) -> Self {
        let mut counts = BTreeMap::new();
        for excerpt in excerpts {
            for word in content_words(excerpt) {
                *counts.entry(word).or_default() += 1;
            }
        }
        Self { counts, n: excerpts.len() }
    }

    fn coverage(&self, text: &str, source: &str) -> f32 {
        let source = content_words(source);
        let weight = |word: &String| {
            let n = self.counts.get(word).copied().unwrap_or_default();
            ((self.n as f32 + 1.0) / (n as f32 + 0.5)).ln()
        };
        let own = content_words(text);
        let all: f32 = own.iter().map(weight).sum();
        let covered: f32 = own.iter().filter(|word| source.contains(*word)).map(weight).sum();
        if all > 0.0 { covered / all } else { 0.0 }
    }
}

/// Words of more than three letters, by their first six: endings differ.
fn content_words(text: &str) -> BTreeSet<String> {
    let long = lower_words(text).filter(|word| word.len() > 3);
    long.map(|word| clipped(&word, 6).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Bullet, Citation, Kind};

    fn extract() -> Explanation {
        let bullet = |text: &str, citation, line| Bullet {
            text: text.to_owned(),
            kind: Kind::Documented,
            citation,
            line,
        };
        let cited = |heading: &str, heading_line| Citation {
            file_path: "docs/a.md".into(),
            section_heading: heading.into(),
            heading_line,
            relevance_score: 1.0,
        };
        Explanation {
            citations: vec![cited("`abort`", 1), cited("Twice", 7)],
            bullets: vec![
                bullet(
                    "Aborts the running request and closes its socket after `timeout` milliseconds.",
                    0,
                    3,
                ),
                bullet("It must not be called twice.", 1, 9),
            ],
            ..Explanation::not_documented(None, 0.0)
        }
    }

    fn prompt() -> Prompt {
        let code = "function abort () {}";
        let context = CodeContext::read("a.js", craig_source::Language::JavaScript, code, None);
        Prompt::new(&context, &extract())
    }

    fn kept(answer: &str) -> Vec<String> {
        let held = prompt().judged(answer).into_iter().filter_map(|one| Some((one.text, one.verdict.ok()?)));
        held.map(|(text, cited)| format!("{text} {cited:?}")).collect()
    }

    #[test]
    fn what_the_documentation_says_is_kept() {
        assert_eq!(
            kept(
                "- It aborts the running request and closes the socket. [1] It must not be called twice [2]."
            ),
            ["It aborts the running request and closes the socket. [0]", "It must not be called twice. [1]"]
        );
    }

    #[test]
    fn what_it_does_not_say_is_dropped() {
        for bad in [
            "Aborts the running request.",
            "Aborts the running request [3].",
            "Aborts the running request [0].",
            "It can be called twice [2].",
            "Typically aborts the running request and closes its socket [1].",
            "Aborts the running request and closes its socket after 500 milliseconds [1].",
            "Aborts the running request and closes its socket before `timeout` milliseconds [1].",
            "Aborts the running request and closes its socket after `time` milliseconds [1].",
            "May abort the running request and closes its socket [1].",
            "It must be called twice [2].",
            "It should not be called twice [2].",
            "Aborts the running request with `--force` and closes its socket [1].",
            "See https://example.org for the running request and its socket [1].",
            "Frees memory that garbage collectors left behind somewhere [1].",
            "Not documented.",
            "",
        ] {
            assert!(kept(bad).is_empty(), "{bad}: {:?}", kept(bad));
        }
    }

    #[test]
    fn an_index_in_code_is_no_marker() {
        assert!(kept("It must not be called twice as in rows[2].").is_empty());
    }

    #[test]
    fn what_is_kept_is_an_explanation_with_its_places() {
        let extract = extract();
        let answer = "It must not be called twice [2]. It is fast [1]. It must not be called twice [2].";
        let (reworded, sentences) = prompt().reworded(&extract, answer);
        let reworded = reworded.unwrap();
        assert_eq!((sentences.kept, sentences.dropped.values().sum::<usize>()), (1, 2));
        assert_eq!(reworded.explanation, "- It must not be called twice.");
        assert_eq!(
            reworded.bullets,
            [Bullet {
                text: "It must not be called twice.".into(),
                kind: Kind::Documented,
                citation: 0,
                line: 9
            }]
        );
        assert_eq!(reworded.citations, [extract.citations[1].clone()]);
        let (none, sentences) = prompt().reworded(&extract, "It is fast [1].");
        assert_eq!((none, sentences.kept), (None, 0));
        assert_eq!(sentences.dropped, BTreeMap::from([(Fault::Coverage, 1)]));
    }

    #[test]
    fn the_prompt_holds_the_instruction_the_excerpts_and_the_code() {
        let prompt = prompt();
        assert!(prompt.system.starts_with(INSTRUCTION));
        assert!(prompt.excerpts.iter().all(|excerpt| prompt.user.contains(excerpt.as_str())));
        assert!(prompt.user.contains("function abort"));
    }
}
