//! Guesses of a model about the code: requested if the results for the message alone are uncertain, and searched for
//! with it.

use std::sync::Arc;
use std::time::Instant;

use craig_engine::{
    AskModel, ChatContextRequest, ContextAnswer, GUESS_TASK, Guesses, MAX_GUESS_TOKENS, guess_prompt,
    mask_secrets, read_guesses,
};
use moka::future::Cache;

use crate::call::CallFailure;
use crate::caller::Caller;
use crate::config::Masking;
use crate::conversation::{Conversation, Question};
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::protocol::Operation;
use crate::providers::Answer;
use crate::proxy::{Accounting, Asked, BYTES_PER_TOKEN, record_at_end};
use crate::relay::Outcome;
use crate::rerank::Source;
use crate::retrieval::{Report, context_request};

/// Messages whose guesses are kept.
const MAX_KEPT: u64 = 1_000;

/// Largest answer that is read: a few times what [`MAX_GUESS_TOKENS`] take, with what else providers send.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Guesses that were made before, by the hash of the model and the messages.
pub(crate) type GuessCache = Cache<blake3::Hash, Guesses>;

pub(crate) fn guess_cache() -> GuessCache {
    Cache::new(MAX_KEPT)
}

/// The outcome of a request for guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuessOutcome {
    /// They were searched for.
    Used,
    /// The guesses of an earlier request were used.
    Cached,
    /// The model did not answer in time.
    Late,
    /// No provider answered.
    Failed,
    /// The answer holds no guesses.
    Useless,
}

impl GuessOutcome {
    /// Its name in headers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Cached => "cached",
            Self::Late => "late",
            Self::Failed => "failed",
            Self::Useless => "useless",
        }
    }
}

impl Gateway {
    /// Whether the gateway asks for guesses. If the engine has a language model of its own, that is asked instead.
    pub(crate) fn makes_guesses(&self) -> bool {
        self.config.guesses.ask != AskModel::Never && self.config.engine.language_model.is_none()
    }

    /// Context for a chat message, found with guesses if the message alone finds nothing sure. Whether there is context at
    /// all is decided by the message alone.
    pub(crate) async fn context_with_guesses(
        self: &Arc<Self>,
        caller: &Caller,
        project: String,
        conversation: &Conversation<'_>,
        question: &Question<'_>,
        report: &mut Report,
    ) -> Result<ContextAnswer, Problem> {
        let is_reranked = self.wants_rerank(conversation.rerank) && self.engine.reranks_context();
        let mut first = context_request(conversation, question);
        if is_reranked {
            // Only the final results are reranked.
            first.rerank = Some(false);
        }
        let alone = self.chat_context(caller, project.clone(), first, report).await?;
        let Some(best) = alone.blocks.first() else { return Ok(alone) };
        let guesses = match self.config.guesses.ask.wants(best.score) {
            true => {
                let model = self.config.guesses.model.as_deref().or(conversation.model.as_deref());
                self.guesses(caller, (model, &project), question, report).await
            }
            false => None,
        };
        if guesses.is_none() && !is_reranked {
            return Ok(alone);
        }
        let guesses = guesses.unwrap_or_default();
        let second = ChatContextRequest { guesses, ..context_request(conversation, question) };
        let mut second_report = Report::new(Source::Off);
        match self.chat_context(caller, project, second, &mut second_report).await {
            Ok(answer) if !answer.blocks.is_empty() => {
                report.followed_by(second_report);
                Ok(answer)
            }
            Ok(_) => Ok(alone),
            Err(_) => {
                report.trouble.push("index_unavailable");
                Ok(alone)
            }
        }
    }

    /// The guesses for a message, if there are some in time; what came of it is added to `report`.
    async fn guesses(
        self: &Arc<Self>,
        caller: &Caller,
        (model, project): (Option<&str>, &str),
        question: &Question<'_>,
        report: &mut Report,
    ) -> Option<Guesses> {
        let started = Instant::now();
        let prompt = guess_prompt(&question.text, &question.history);
        let key = blake3::hash(format!("{}\0{prompt}", model.unwrap_or_default()).as_bytes());
        let (guesses, outcome) = match self.known_guesses.get(&key).await {
            Some(known) => (Some(known), GuessOutcome::Cached),
            None => match self.guesses_in_time(caller, (model, project), &prompt).await {
                Ok(guesses) => {
                    self.known_guesses.insert(key, guesses.clone()).await;
                    (Some(guesses), GuessOutcome::Used)
                }
                Err(outcome) => (None, outcome),
            },
        };
        report.guesses = Some(outcome);
        report.guess_time = started.elapsed();
        self.metrics.guesses.with_label_values(&[outcome.name()]).inc();
        self.trace(caller, "guess", started, report.guess_time);
        guesses
    }

    async fn guesses_in_time(
        self: &Arc<Self>,
        caller: &Caller,
        asked: (Option<&str>, &str),
        prompt: &str,
    ) -> Result<Guesses, GuessOutcome> {
        let answer = self.ask_for_guesses(caller, asked, prompt);
        let answer = tokio::time::timeout(self.config.guesses.timeout, answer).await;
        answer.unwrap_or(Err(GuessOutcome::Late))
    }

    /// Asks the model about a project, and counts the tokens for the key of the caller.
    async fn ask_for_guesses(
        self: &Arc<Self>,
        caller: &Caller,
        (model, project): (Option<&str>, &str),
        prompt: &str,
    ) -> Result<Guesses, GuessOutcome> {
        let prompt = match self.config.masking {
            Masking::Off => prompt.into(),
            Masking::Context | Masking::All => mask_secrets(prompt),
        };
        let body = |operation: Operation, model: Option<&str>| {
            self.reserved(request_body(operation, model, &prompt)).ok_or_else(CallFailure::overloaded)
        };
        let asked = self.providers.ask_beforehand(model, &caller.policy, body).await;
        let answered = asked.map_err(|_| GuessOutcome::Failed)?;
        let upstream = answered.provider.upstream.name.as_str();
        let n_input_bytes = GUESS_TASK.len() + prompt.len();
        let accounting =
            Accounting::guess(project.to_owned(), n_input_bytes, answered.tries, answered.asked.elapsed());
        let on_end = record_at_end(self, caller, Asked::answered(&answered), accounting);
        let Answer::Whole(_, body, usage) = answered.answer else { return Err(GuessOutcome::Useless) };
        self.metrics.llm_ms.with(&[upstream, answered.model]).observe(answered.asked.elapsed());
        on_end(Outcome { usage, failure: None, estimated_output_tokens: body.len() / BYTES_PER_TOKEN });
        let text = match body.len() {
            ..=MAX_ANSWER_BYTES => answered.operation.protocol().text_of(&body),
            _ => None,
        };
        text.and_then(|text| read_guesses(&text)).ok_or(GuessOutcome::Useless)
    }
}

/// The request for a provider, with its own name of the model.
fn request_body(operation: Operation, model: Option<&str>, prompt: &str) -> Vec<u8> {
    let mut body = operation.protocol().short_request(GUESS_TASK, prompt, MAX_GUESS_TOKENS);
    if let Some(model) = model {
        body["model"] = model.into();
    }
    body.to_string().into_bytes()
}
