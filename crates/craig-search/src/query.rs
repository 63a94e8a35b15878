//! Query analysis: words, names, vectors and shape.

use std::borrow::Cow;
use std::collections::HashSet;

use craig_model::{Embedder, ModelError, Quantized, StaticModel};
use craig_text::{
    compact, count_words, is_character, is_identifier_char, is_stop_word, is_unspaced, lower_words, runs,
    stem, words_of_run,
};

use crate::analysis::terms;
use crate::segment::signs;

/// Most distinct words of a query that are looked up: a pasted file can be a query, too.
const MAX_TERMS: usize = 64;

/// Most words joined when a phrase of the query is tried as one name: `session manager` may be `SessionManager`.
const MAX_JOINED: usize = 4;

/// Whether a query has something to search for: a letter or a digit of any script, or a symbol such as an emoji.
pub fn has_words(query: &str) -> bool {
    runs(query).any(|run| words_of_run(run.text, &mut |_| ()) > 0)
}

/// An analysed query.
pub(crate) struct Query {
    /// Distinct words in order of appearance, without stop words unless there are no others.
    pub(crate) terms: Vec<String>,
    /// Names that the query may ask for.
    pub(crate) names: Vec<Name>,
    /// Vector of the index's embedder.
    pub(crate) vector: Quantized,
    /// Its signs.
    pub(crate) bits: Vec<u64>,
    /// Vector of the built-in model, to be compared with field and label embeddings.
    pub(crate) builtin_vector: Quantized,
    /// How the query reads.
    pub(crate) shape: Shape,
    pub(crate) kind: QueryKind,
}

/// What a query is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// A question, keywords or a name.
    Question,
    /// It reports a fault or a wish at length, as the text of an issue does: the asker will change code, not read about
    /// it.
    Report,
}

/// A name that a query may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Lower-cased and without separators.
    pub(crate) compact: String,
    /// Written as one identifier of several parts, or the whole query: certainly meant as a name.
    pub(crate) is_certain: bool,
    /// Words of the query that it joins.
    pub(crate) n_words: usize,
}

/// How a query reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One identifier, perhaps qualified: `Gson`, `foo::bar`, `QueueManager.push`.
    Symbol,
    /// A question: it begins with a question word.
    Question,
    /// Anything else.
    Keywords,
}

impl Query {
    pub(crate) fn new(text: &str, embedder: &dyn Embedder) -> Result<Self, ModelError> {
        let text = &*without_classes(text);
        let (shape, kind) = (shape(text), QueryKind::from_text(text));
        let builtin = StaticModel::builtin();
        let builtin_vector = match (shape, kind) {
            (Shape::Symbol, _) | (_, QueryKind::Report) => builtin.query(text),
            _ => builtin.question(text),
        };
        let is_builtin = embedder.id() == builtin.id();
        let vector = if is_builtin { builtin_vector.clone() } else { embedder.embed_query(text)? };
        Ok(Self {
            terms: query_terms(text),
            names: names(text, shape),
            bits: signs(vector.as_slice()).collect(),
            vector: vector.quantized(),
            kind,
            builtin_vector: builtin_vector.quantized(),
            shape,
        })
    }
}

/// Words of questions about tests, examples and what is vendored or generated.
const ROLE_WORDS: &[&str] =
    &["test", "spec", "mock", "fixture", "benchmark", "example", "demo", "sample", "vendor", "generated"];

/// A text with so many words is a report, as that of an issue: it names tests and examples without asking for them.
const MIN_REPORT_WORDS: usize = 60;

impl QueryKind {
    fn from_text(text: &str) -> Self {
        if count_words(text) >= MIN_REPORT_WORDS { Self::Report } else { Self::Question }
    }
}

impl Query {
    pub(crate) fn is_report(&self) -> bool {
        self.kind == QueryKind::Report
    }

    /// Whether it asks for code other than the product's own.
    pub(crate) fn asks_for_roles(&self) -> bool {
        !self.is_report()
            && self.terms.iter().any(|term| ROLE_WORDS.iter().any(|word| stem(word) == term || word == term))
    }
}

/// Words that ask for the definition of another.
const DEFINES: [&str; 6] = ["define", "defined", "definition", "declare", "declared", "declaration"];

/// The subject of a query: for a question with one content word, that word. `where is UserStore defined` is
/// `UserStore`.
pub(crate) fn asked(text: &str) -> &str {
    let is_content = |run: &&str| {
        let word = run.to_lowercase();
        !is_stop_word(&word) && !DEFINES.contains(&word.as_str())
    };
    let mut words = runs(text).map(|run| run.text).filter(is_content);
    match (words.next(), words.next()) {
        (Some(word), None) if word.starts_with(is_identifier_char) && word.is_ascii() => word,
        _ => text,
    }
}

/// A query without the character classes of regular expressions, such as `\s` of `def\s+find`, whose letters are no words.
fn without_classes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        kept.push_str(before);
        let class = after.strip_prefix(['b', 'B', 'd', 'D', 's', 'S', 'w', 'W']);
        let class = class.filter(|after| !after.starts_with(is_identifier_char) || before.is_empty());
        rest = class.unwrap_or(after);
        kept.push(if class.is_some() { ' ' } else { '\\' });
    }
    (kept + rest).into()
}

fn query_terms(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    terms(text, |term| {
        if all.len() < 4 * MAX_TERMS && seen.insert(term.to_owned()) {
            all.push(term.to_owned());
        }
    });
    let is_stopped = |word: &String| is_stop_word(word) || is_stop_word(stem(word));
    let stopped: HashSet<String> =
        lower_words(text).filter(is_stopped).map(|word| stem(&word).to_owned()).collect();
    let mut content_words: Vec<_> = all.iter().filter(|term| !stopped.contains(*term)).cloned().collect();
    if content_words.is_empty() {
        content_words = all;
    }
    // Pairs tell more than the characters that they consist of.
    if content_words.iter().any(|term| !is_character(term)) {
        content_words.retain(|term| !is_character(term));
    }
    content_words.truncate(MAX_TERMS);
    content_words
}

fn shape(text: &str) -> Shape {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    // A question in a script without spaces looks like one identifier.
    let is_path = |c: char| c.is_alphanumeric() && !is_unspaced(c) || "_$.:#/-<>?!()\\@".contains(c);
    if !text.is_empty() && text.chars().all(is_path) {
        return Shape::Symbol;
    }
    let asks = ["how", "what", "where", "why", "when", "which", "who", "does", "is", "can"]
        .contains(&first.as_str());
    if asks || text.ends_with(['?', '？']) { Shape::Question } else { Shape::Keywords }
}

/// Identifiers of the query, and its runs of up to [`MAX_JOINED`] words that neither begin nor end with a stop word, each joined
/// to one name.
fn names(text: &str, shape: Shape) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let mut add = |compact: String, is_certain: bool, n_words: usize| {
        if compact.len() >= 2
            && found.len() < 4 * MAX_TERMS
            && !found.iter().any(|name| name.compact == compact)
        {
            found.push(Name { compact, is_certain, n_words });
        }
    };
    let names = runs(text).map(|run| run.text).filter(|run| run.starts_with(is_identifier_char));
    let tokens: Vec<&str> = names.take(MAX_TERMS).collect();
    for token in &tokens {
        let is_compound = words_of_run(token, &mut |_| ()) > 1 || token.contains('_');
        let is_stop = is_stop_word(&token.to_lowercase());
        if is_compound || shape == Shape::Symbol {
            add(compact(token), true, 1);
        } else if !is_stop {
            add(compact(token), false, 1);
        }
    }
    for length in 2..=MAX_JOINED {
        for run in tokens.windows(length) {
            let has_content_ends =
                [run[0], run[length - 1]].iter().all(|end| !is_stop_word(&end.to_lowercase()));
            if has_content_ends {
                add(compact(&run.concat()), length == tokens.len() && shape == Shape::Symbol, length);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_dropped_unless_there_are_no_others() {
        assert_eq!(query_terms("how does the session manager work"), ["session", "manager"]);
        assert_eq!(query_terms("where is it"), ["where", "is", "it"]);
        assert_eq!(query_terms("SessionManager"), ["session", "manager", "sessionmanager"]);
    }

    #[test]
    fn a_question_with_one_content_word_asks_for_it() {
        for question in
            ["where is UserStore defined?", "find the definition of UserStore", "what is the UserStore"]
        {
            assert_eq!(asked(question), "UserStore");
        }
        for other in ["where is the user stored", "where is it defined", "会话在哪里", ""] {
            assert_eq!(asked(other), other);
        }
    }

    #[test]
    fn classes_of_regular_expressions_are_no_words() {
        assert_eq!(without_classes(r"def\s+find_\w+"), "def +find_ +");
        assert_eq!(without_classes(r"\bUserStore\b"), " UserStore ");
        assert_eq!(without_classes(r"src\sort\a.cs"), r"src\sort\a.cs");
    }

    #[test]
    fn characters_are_searched_for_where_there_are_no_pairs() {
        assert_eq!(query_terms("会话过期"), ["会话", "话过", "过期"]);
        assert_eq!(query_terms("会"), ["会"]);
        assert_eq!(query_terms("the 🚀"), ["🚀"]);
        assert!(has_words("🚀") && has_words("→") && !has_words("_ ?!"));
    }

    #[test]
    fn queries_are_classified_by_shape() {
        assert_eq!(shape("会话什么时候过期"), Shape::Keywords);
        assert_eq!(shape("会话什么时候过期？"), Shape::Question);
        assert_eq!(shape("QueueManager::push"), Shape::Symbol);
        assert_eq!(shape("how are jobs queued"), Shape::Question);
        assert_eq!(shape("queue worker daemon"), Shape::Keywords);
    }

    #[test]
    fn phrases_are_tried_as_names() {
        let names: Vec<_> =
            names("session manager of tokens", Shape::Keywords).into_iter().map(|n| n.compact).collect();
        let expected =
            ["session", "manager", "tokens", "sessionmanager", "manageroftokens", "sessionmanageroftokens"];
        assert_eq!(names, expected);
    }
}
