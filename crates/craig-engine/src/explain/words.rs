//! Explanations in a language model's words, as far as the documentation bears them out.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use craig_explain::{
    Addresses, Cache, CacheKey, CodeContext, Explanation, Library, Prompt, Sentences, cache,
};
use craig_model::{Cancellation, Generation, LanguageModel, Message, ModelError, Role};
use serde::Serialize;

use super::config::ExplainConfig;
use crate::models::language_model;
use crate::packages::PackageExplanation;

/// An explanation, and what a language model had to do with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The explanation to show.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The outcome of rephrasing, if a language model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_model: Option<WordsReport>,
    /// What packages say about imported symbols of the selection: not the project's documentation, and not part of the
    /// explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageExplanation>,
}

/// The outcome of rephrasing by a language model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordsReport {
    /// Provider and name of the model; empty when there is none.
    pub model: String,
    /// Whose words are shown.
    pub status: WordsStatus,
    /// Why quotes are shown, if they are.
    pub reason: Option<String>,
    /// The outcome of its sentences, if it returned any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentences: Option<Sentences>,
}

/// Whose words an explanation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WordsStatus {
    /// The language model's, each sentence supported by the sections that it cites.
    Applied,
    /// The documentation's own: none of the model's sentences is supported, it failed, or it took too long.
    Fallback,
}

impl Explained {
    /// The explanation as Markdown, and below it what packages say.
    pub fn markdown(&self, addresses: Addresses<'_>) -> String {
        let packages: String = self.packages.iter().map(PackageExplanation::markdown).collect();
        self.explanation.markdown(addresses) + &packages
    }
}

impl From<Explanation> for Explained {
    /// In the documentation's own words.
    fn from(explanation: Explanation) -> Self {
        Self { explanation, language_model: None, packages: Vec::new() }
    }
}

/// Rephrases explanations with the configured language model; may be shared between threads.
pub struct Words {
    config: ExplainConfig,
    /// Cache that concurrent threads share; locked only to read and insert.
    cache: Cache<Explained>,
}

const NOT_BORNE_OUT: &str = "the documentation supports none of its sentences";

/// Seed for models that choose by chance at temperature 0 even so.
const SEED: u64 = 0;

/// Maximum number of tokens of a model's answer: five sentences are requested.
const MAX_TOKENS: u32 = 500;

/// Maximum number of bytes of an answer to read, in case a model does not stop.
const MAX_BYTES: usize = 8_000;

impl Words {
    /// Asks nobody yet.
    pub fn new(config: &ExplainConfig) -> Self {
        Self { config: config.clone(), cache: cache() }
    }

    /// Rephrases `extract`, the documentation of `context` in `library`, with the model. Its sentences are kept
    /// sentence by sentence, where it holds; where nothing does, or there is no answer in time, `extract` is returned.
    ///
    /// A model is not asked about what is not documented.
    pub fn reword(
        &self,
        library: &Library,
        context: &CodeContext,
        extract: Explanation,
        cancellation: &Cancellation,
    ) -> Explained {
        if !extract.has_relevant_docs {
            return extract.into();
        }
        let model = match self.model() {
            Ok(model) => model,
            Err(error) => return fallback(extract, String::new(), error.to_string()),
        };
        let prompt = Prompt::new(context, &extract);
        let asked = format!("{}\0{}", prompt.system, prompt.user);
        let key = CacheKey::new(&context.file_name, &asked, None, library.hash(), model.name());
        if let Some(known) = self.cache.get(&key) {
            return known;
        }
        let answer = match self.ask(&*model, &prompt, cancellation) {
            Ok(answer) => answer,
            Err(error) => return fallback(extract, model.name().to_owned(), error.to_string()),
        };
        let (reworded, sentences) = prompt.reworded(&extract, &answer);
        let (status, reason) = match reworded {
            Some(_) => (WordsStatus::Applied, None),
            None => (WordsStatus::Fallback, Some(NOT_BORNE_OUT.to_owned())),
        };
        let report =
            WordsReport { model: model.name().to_owned(), status, reason, sentences: Some(sentences) };
        let explained =
            Explained { language_model: Some(report), ..Explained::from(reworded.unwrap_or(extract)) };
        if status == WordsStatus::Applied {
            self.cache.insert(key, explained.clone());
        }
        explained
    }

    fn model(&self) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let none = || ModelError::Unsupported { reason: "no language model is configured".to_owned() };
        language_model(self.config.language_model.as_ref().ok_or_else(none)?)
    }

    fn ask(
        &self,
        model: &dyn LanguageModel,
        prompt: &Prompt,
        cancellation: &Cancellation,
    ) -> Result<String, ModelError> {
        let messages = [
            Message { role: Role::System, content: &prompt.system },
            Message { role: Role::User, content: &prompt.user },
        ];
        let mut request = Generation::new(&messages, Instant::now() + self.config.timeout);
        request.max_tokens = Some(MAX_TOKENS);
        request.seed = Some(SEED);
        request.cancellation = cancellation.clone();
        let mut n_bytes = 0;
        model.stream(&request, &mut |piece| {
            n_bytes += piece.len();
            if n_bytes > MAX_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}

fn fallback(extract: Explanation, model: String, reason: String) -> Explained {
    let report = WordsReport { model, status: WordsStatus::Fallback, reason: Some(reason), sentences: None };
    Explained { language_model: Some(report), ..Explained::from(extract) }
}
