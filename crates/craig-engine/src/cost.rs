//! The cost of an ingestion, estimated before anything is embedded.

use craig_model::Expense;
use craig_source::{Entry, Language};
use craig_store::TrackedFile;
use serde::Serialize;

use crate::ingest::SourceFiles;
use crate::plan::Plan;

/// An ingestion that would embed more than this needs the user's consent.
const MANY_TEXTS: u64 = 1_000;

/// Bytes of a chunk, for files that are not chunked yet: the mean over the development repositories is about a thousand.
const BYTES_A_CHUNK: u64 = 1_000;

/// Bytes of code per token of the usual tokenizers.
const BYTES_A_TOKEN: u64 = 3;

/// The estimated cost of embedding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmbeddingCost {
    /// Name of the project.
    pub project: String,
    /// The embedder.
    pub embedder: String,
    /// The project's previous embedder, if it was another.
    pub instead_of: Option<String>,
    /// Chunks to embed.
    pub chunks: u64,
    /// Approximate number of tokens.
    pub tokens: u64,
    /// Whether the texts are sent to a provider.
    pub is_sent: bool,
    /// Approximate price in US dollars; `None` when there is none or it is unknown.
    pub usd: Option<f64>,
}

impl EmbeddingCost {
    pub(crate) fn new(
        project: &str,
        embedder: &str,
        instead_of: Option<String>,
        expense: Expense,
        texts: Texts,
    ) -> Self {
        let tokens = texts.n_bytes / BYTES_A_TOKEN;
        let usd = match expense {
            Expense::Provider { usd_per_million_tokens: Some(price) } => Some(price * tokens as f64 / 1e6),
            _ => None,
        };
        Self {
            project: project.to_owned(),
            embedder: embedder.to_owned(),
            instead_of,
            chunks: texts.n_texts,
            tokens,
            is_sent: matches!(expense, Expense::Provider { .. }),
            usd,
        }
    }

    /// Whether it needs the user's consent: a change of the embedder, or a large amount.
    pub(crate) fn needs_consent(&self) -> bool {
        self.chunks > 0 && (self.instead_of.is_some() || self.chunks > MANY_TEXTS)
    }
}

impl std::fmt::Display for EmbeddingCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { project, embedder, chunks, tokens, .. } = self;
        write!(f, "embedding {project:?} with {embedder} takes about {chunks} chunks, {tokens} tokens")?;
        match (self.is_sent, self.usd) {
            (false, _) => write!(f, ", computed on this machine")?,
            (true, Some(usd)) => write!(f, ", about ${usd:.2}, sent to the provider")?,
            (true, None) => write!(f, ", sent to the provider, whose price is unknown")?,
        }
        match &self.instead_of {
            Some(before) => write!(f, " (now embedded with {before})"),
            None => Ok(()),
        }
    }
}

/// Texts to embed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) n_texts: u64,
    pub(crate) n_bytes: u64,
}

impl Texts {
    /// At most what the new and changed files of a plan hold; texts of unchanged files are counted in the store.
    pub(crate) fn from_files(plan: &Plan, files: &dyn SourceFiles) -> Self {
        let is_changed = |entry: &Entry, known: &TrackedFile| {
            entry.stamp != known.stamp
                && files.read(&entry.path).is_ok_and(|current| current.hash != known.hash)
        };
        let is_new = |(entry, tracked): &&(Entry, Option<TrackedFile>)| {
            Language::from_path(&entry.path).is_some()
                && tracked.as_ref().is_none_or(|known| is_changed(entry, known))
        };
        plan.read.iter().filter(is_new).fold(Self::default(), |sum, (entry, _)| Self {
            n_texts: sum.n_texts + entry.stamp.size.div_ceil(BYTES_A_CHUNK),
            n_bytes: sum.n_bytes + entry.stamp.size,
        })
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { n_texts: self.n_texts + other.n_texts, n_bytes: self.n_bytes + other.n_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(expense: Expense, instead_of: Option<&str>, n_texts: u64) -> EmbeddingCost {
        let texts = Texts { n_texts, n_bytes: n_texts * 900 };
        EmbeddingCost::new("shop", "some-model", instead_of.map(str::to_owned), expense, texts)
    }

    #[test]
    fn a_switch_and_much_at_once_are_asked_about() {
        assert!(!cost(Expense::Computation, None, 1_000).needs_consent());
        assert!(cost(Expense::Computation, None, 1_001).needs_consent());
        assert!(cost(Expense::Computation, Some("other"), 1).needs_consent());
        assert!(!cost(Expense::Computation, Some("other"), 0).needs_consent());
    }

    #[test]
    fn the_price_is_part_of_the_message_where_it_is_known() {
        let paid = Expense::Provider { usd_per_million_tokens: Some(0.18) };
        assert_eq!(
            cost(paid, Some("other"), 10_000).to_string(),
            "embedding \"shop\" with some-model takes about 10000 chunks, 3000000 tokens, about $0.54, sent to the \
             provider (now embedded with other)"
        );
        let unknown = Expense::Provider { usd_per_million_tokens: None };
        assert!(cost(unknown, None, 1).to_string().ends_with("sent to the provider, whose price is unknown"));
        assert!(cost(Expense::Computation, None, 1).to_string().ends_with("computed on this machine"));
    }
}
