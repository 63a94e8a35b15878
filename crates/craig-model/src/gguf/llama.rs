//! Runs a GGUF model by llama.cpp on the processor: the likeliest token each time, so that the same prompt has the same answer.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;

use super::unusable;
use crate::{Generation, LanguageModel, Message, ModelError};

/// A model in memory.
pub(super) struct GgufModel {
    model: LlamaModel,
    /// How turns are written down for this model.
    template: LlamaChatTemplate,
    name: String,
    /// Held while an answer is made: two at a time would each have half of the cores, and llama.cpp does not allow contexts
    /// of a model to be made at the same time.
    turn: Mutex<()>,
}

/// Most tokens of an answer when the request does not say.
const MAX_TOKENS: u32 = 1_024;

/// Tokens of a prompt that are read at a time; cancellation is looked for between them. Fewer take longer in all.
const BATCH: usize = 128;

/// How often somebody who waits for the turn looks whether the request still matters.
const TURN_POLL: Duration = Duration::from_millis(5);

/// What llama.cpp's own server uses for a model that brings no template.
const PLAIN_TEMPLATE: &str = "chatml";

impl GgufModel {
    pub(super) fn load(file: &Path) -> Result<Self, ModelError> {
        let backend = backend()?;
        // The bindings take both for granted.
        if !file.is_file() {
            return Err(unusable(file, "there is no such file".to_owned()));
        }
        if file.to_str().is_none_or(|name| name.contains('\0')) {
            return Err(unusable(file, "its name is not UTF-8".to_owned()));
        }
        let model = LlamaModel::load_from_file(backend, file, &LlamaModelParams::default())
            .map_err(|error| unusable(file, format!("llama.cpp cannot load it: {error}")))?;
        let plain = || LlamaChatTemplate::new(PLAIN_TEMPLATE).map_err(|error| error.to_string());
        let template =
            model.chat_template(None).or_else(|_| plain()).map_err(|reason| unusable(file, reason))?;
        let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        let model = Self { model, template, name: format!("local {stem}"), turn: Mutex::new(()) };
        // Told when it is loaded rather than in the middle of a conversation.
        model.prompt(&[Message { role: crate::Role::User, content: "?" }]).map_err(|_| {
            unusable(file, "its chat template is none of those that llama.cpp knows".to_owned())
        })?;
        Ok(model)
    }

    /// The conversation as this model reads it, with the beginning of its own turn.
    fn prompt(&self, messages: &[Message<'_>]) -> Result<String, ModelError> {
        let turn = |message: &Message<'_>| {
            LlamaChatMessage::new(message.role.as_str().to_owned(), message.content.replace('\0', ""))
        };
        let turns: Result<Vec<LlamaChatMessage>, _> = messages.iter().map(turn).collect();
        let turns = turns.map_err(|error| self.failed(&error))?;
        self.model.apply_chat_template(&self.template, &turns, true).map_err(|error| self.failed(&error))
    }

    /// The turn to use the model, as soon as it is free.
    fn turn(&self, request: &Request<'_>) -> Result<MutexGuard<'_, ()>, ModelError> {
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Ok(turn),
                // It guards no data that a panic could have left half done.
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => request.check()?,
            }
            thread::sleep(TURN_POLL);
        }
    }

    /// Room for a prompt and the tokens of its answer; the answer may be cut short where the model reads no more.
    fn context(&self, n_prompt: usize, n_answer: u32) -> Result<LlamaContext<'_>, ModelError> {
        let most = self.model.n_ctx_train();
        let n_prompt = u32::try_from(n_prompt).unwrap_or(u32::MAX);
        if n_prompt >= most {
            return Err(ModelError::PromptTooLong { provider: self.name.clone(), tokens: n_prompt, most });
        }
        let n_context = n_prompt.saturating_add(n_answer).min(most);
        let cores = thread::available_parallelism().map_or(1, |n| i32::try_from(n.get()).unwrap_or(1));
        let params = LlamaContextParams::default()
            .with_n_ctx(std::num::NonZeroU32::new(n_context))
            .with_n_threads(cores)
            .with_n_threads_batch(cores);
        self.model.new_context(backend()?, params).map_err(|error| self.failed(&error))
    }

    fn answer(
        &self,
        request: &Request<'_>,
        on_piece: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, ModelError> {
        let _turn = self.turn(request)?;
        let vocabulary = self.model.vocab();
        let prompt = self.prompt(request.asked.messages)?;
        let tokens = vocabulary.tokenize(prompt.as_bytes(), true, true);
        let most = request.asked.max_tokens.unwrap_or(MAX_TOKENS);
        let mut reading = Reading::new(self, self.context(tokens.len(), most)?);
        reading.read(&tokens, request)?;
        let n_room = reading.context.n_ctx() as usize;
        let mut choice = LlamaSampler::greedy();
        let mut said = Said::default();
        for _ in 0..most {
            request.check()?;
            let token = choice.sample(&reading.context, -1);
            if vocabulary.is_eog(token) || reading.n_read >= n_room {
                break;
            }
            let piece = said.add(&vocabulary.token_to_piece(token, false, None));
            if !piece.is_empty() && on_piece(piece).is_break() {
                break;
            }
            reading.read(&[token], request)?;
        }
        Ok(said.whole)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> ModelError {
        ModelError::BadAnswer { provider: self.name.clone(), reason: error.to_string() }
    }
}

impl LanguageModel for GgufModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Generation<'_>) -> Result<String, ModelError> {
        self.stream(request, &mut |_| ControlFlow::Continue(()))
    }

    /// The seed is of no account: nothing is left to chance.
    fn stream(
        &self,
        asked: &Generation<'_>,
        on_piece: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, ModelError> {
        self.answer(&Request { asked, provider: &self.name, started: Instant::now() }, on_piece)
    }
}

/// A request that is being answered.
struct Request<'a> {
    asked: &'a Generation<'a>,
    provider: &'a str,
    started: Instant,
}

impl Request<'_> {
    /// Fails when nobody waits for the answer any more.
    fn check(&self) -> Result<(), ModelError> {
        let provider = || self.provider.to_owned();
        if self.asked.cancellation.is_cancelled() {
            return Err(ModelError::Cancelled { provider: provider() });
        }
        if Instant::now() >= self.asked.deadline {
            return Err(ModelError::TimedOut { provider: provider(), waited: self.started.elapsed() });
        }
        Ok(())
    }
}

/// What the model has read of a conversation.
struct Reading<'m> {
    model: &'m GgufModel,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    n_read: usize,
}

impl<'m> Reading<'m> {
    fn new(model: &'m GgufModel, context: LlamaContext<'m>) -> Self {
        Self { model, context, batch: LlamaBatch::new(BATCH, 1), n_read: 0 }
    }

    /// Reads on; afterwards the next token can be chosen.
    fn read(&mut self, tokens: &[LlamaToken], request: &Request<'_>) -> Result<(), ModelError> {
        for part in tokens.chunks(BATCH) {
            request.check()?;
            self.batch.clear();
            for (at, token) in part.iter().enumerate() {
                let place = i32::try_from(self.n_read + at).unwrap_or(i32::MAX);
                let added = self.batch.add(*token, place, &[0], at + 1 == part.len());
                added.map_err(|error| self.model.failed(&error))?;
            }
            self.context.decode(&mut self.batch).map_err(|error| self.model.failed(&error))?;
            self.n_read += part.len();
        }
        Ok(())
    }
}

/// What the model has said: tokens may end within a character.
#[derive(Default)]
struct Said {
    whole: String,
    rest: Vec<u8>,
}

impl Said {
    /// Adds the bytes of a token; gives the text that is complete with them.
    fn add(&mut self, bytes: &[u8]) -> &str {
        self.rest.extend_from_slice(bytes);
        let n_before = self.whole.len();
        let mut n_taken = 0;
        for chunk in self.rest.utf8_chunks() {
            self.whole += chunk.valid();
            n_taken += chunk.valid().len();
            // Bytes at the end may be the beginning of a character; others are none.
            let is_last = n_taken + chunk.invalid().len() == self.rest.len();
            if is_last && chunk.invalid().len() < MAX_CHARACTER_BYTES {
                break;
            }
            self.whole.extend((!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER));
            n_taken += chunk.invalid().len();
        }
        self.rest.drain(..n_taken);
        &self.whole[n_before..]
    }
}

const MAX_CHARACTER_BYTES: usize = 4;

/// llama.cpp, started once in the life of the process; what it would write to the error stream is dropped.
fn backend() -> Result<&'static LlamaBackend, ModelError> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let started = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().ok()?;
        backend.void_logs();
        Some(backend)
    });
    let reason = || "llama.cpp is in use by another part of the process".to_owned();
    started.as_ref().ok_or_else(|| ModelError::Unsupported { reason: reason() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_whole_however_tokens_cut_them() {
        let text = "a é 😀 z";
        for n in 1..5 {
            let mut said = Said::default();
            let pieces: String = text.as_bytes().chunks(n).map(|bytes| said.add(bytes).to_owned()).collect();
            assert_eq!((pieces.as_str(), said.whole.as_str()), (text, text), "{n} bytes a token");
        }
        let mut said = Said::default();
        assert_eq!(said.add(b"a\xff"), "a", "a character may begin there");
        assert_eq!(said.add(b"b"), "\u{fffd}b");
    }
}
