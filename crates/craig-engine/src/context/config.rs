//! How context is made, as the settings say.

use std::time::Duration;

use craig_context::{ENCODINGS, Tokenizer};

use super::guess::AskModel;
use crate::settings::{Settings, SettingsError};

/// Settings of context.
#[derive(Clone, Debug)]
pub struct ContextConfig {
    /// For chats.
    pub chat: ChatConfig,
    /// For inline edits.
    pub inline: InlineConfig,
    /// Time limit of an answer; models that are asked have their own.
    pub deadline: Duration,
    /// Maximum wait for what the language model expects the code to look like.
    pub rephrase_timeout: Duration,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// What is kept of answers.
    pub telemetry: Telemetry,
}

/// Settings of context for chats.
#[derive(Clone, Debug)]
pub struct ChatConfig {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Maximum number of blocks, 1 to 20.
    pub max_chunks: usize,
    /// Minimum relevance of a block, 0 to 1.
    pub min_similarity: f32,
    /// When the language model is asked what the code may look like.
    pub ask_model: AskModel,
    /// Whether the first results are reranked.
    pub rerank: bool,
    /// Maximum number of tokens of the whole text.
    pub token_budget: usize,
}

/// Settings of context for inline edits.
#[derive(Clone, Debug)]
pub struct InlineConfig {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Maximum number of blocks, 1 to 20.
    pub max_chunks: usize,
    /// Minimum score of a block, 0 to 1.
    pub min_score: f32,
    /// Maximum length of a block's code in bytes.
    pub max_code_length: usize,
}

/// What is kept of answers, on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry {
    /// Nothing.
    Off,
    /// Counts, scores and times.
    Figures,
    /// What was asked, too.
    Texts,
}

impl Default for ContextConfig {
    /// The built-in settings.
    fn default() -> Self {
        Self {
            chat: ChatConfig {
                enabled: true,
                max_chunks: 10,
                min_similarity: 0.01,
                ask_model: AskModel::Auto,
                rerank: false,
                token_budget: 4000,
            },
            inline: InlineConfig { enabled: true, max_chunks: 3, min_score: 0.05, max_code_length: 4000 },
            deadline: Duration::from_millis(300),
            rephrase_timeout: Duration::from_millis(1500),
            tokenizer: Tokenizer::default(),
            telemetry: Telemetry::Figures,
        }
    }
}

impl ContextConfig {
    pub(crate) fn from_settings(settings: &Settings) -> Result<Self, SettingsError> {
        let default = Self::default();
        let chat = |name: &str| format!("puku.chat.semanticContext.{name}");
        let inline = |name: &str| format!("puku.inlineEdit.context.semantic.{name}");
        let whole = |key: String, default: usize| settings.whole(&key).map_or(default, |n| n as usize);
        let share = |key: String, default: f32| settings.number(&key).map_or(default, |n| n as f32);
        let time = |key: &str, default| settings.whole(key).map_or(default, Duration::from_millis);
        Ok(Self {
            chat: ChatConfig {
                enabled: settings.is_on(&chat("enabled")),
                max_chunks: whole(chat("maxChunks"), default.chat.max_chunks),
                min_similarity: share(chat("minSimilarity"), default.chat.min_similarity),
                ask_model: AskModel::from_setting(settings.text(&chat("rephrase"))),
                rerank: settings.is_on(&chat("rerank")),
                token_budget: whole(chat("tokenBudget"), default.chat.token_budget),
            },
            inline: InlineConfig {
                enabled: settings.is_on(&inline("enabled")),
                max_chunks: whole(inline("maxChunks"), default.inline.max_chunks),
                min_score: share(inline("minScore"), default.inline.min_score),
                max_code_length: whole(inline("maxCodeLength"), default.inline.max_code_length),
            },
            deadline: time("context.deadline_ms", default.deadline),
            rephrase_timeout: time("context.rephrase_timeout_ms", default.rephrase_timeout),
            tokenizer: tokenizer(settings)?,
            telemetry: match (settings.is_on("telemetry.enabled"), settings.is_on("telemetry.texts")) {
                (false, _) => Telemetry::Off,
                (true, false) => Telemetry::Figures,
                (true, true) => Telemetry::Texts,
            },
        })
    }
}

fn tokenizer(settings: &Settings) -> Result<Tokenizer, SettingsError> {
    let name = settings.text("context.tokenizer").unwrap_or_default();
    Tokenizer::from_name(name).ok_or_else(|| SettingsError::Flag {
        key: "context.tokenizer".to_owned(),
        reason: format!("{name:?} is neither {} nor a model that is known", ENCODINGS.join(", ")),
    })
}
