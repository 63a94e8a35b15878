//! Any question to a small project, and as a chat message or an instruction: every relevance is a probability.
#![no_main]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use craig_context::{ChatQuery, InlineQuery};
use craig_engine::{Config, TextModels};
use craig_model::Document;
use craig_source::Language;
use libfuzzer_sys::fuzz_target;

static MODELS: LazyLock<TextModels> = LazyLock::new(|| TextModels::new(&Config::new("craig.db")));

const FILES: [(&str, &str); 3] = [
    ("src/login.rs", "/// Checks a token.\npub fn verify_token(token: &str) -> bool {\n    !token.is_empty()\n}\n"),
    ("docs/login.md", "# Login\n\nA session ends after an hour.\n"),
    ("lib/été.py", "class Été:\n    def naïve(self): return 'ß'\n"),
];

fuzz_target!(|query: &str| {
    let documents = FILES.map(|(path, text)| Document { path: Some(path), text, score: 0.0 });
    let deadline = Instant::now() + Duration::from_secs(60);
    let relevances = MODELS.rerank(query, &documents, deadline).expect("the built-in ranking has no bad input");
    assert!(relevances.iter().all(|relevance| (0.0..=1.0).contains(relevance)), "{relevances:?}");
    ChatQuery::new(query, &[query, "where is the login?"]);
    InlineQuery::new(query, FILES[0].1, Language::Rust);
    InlineQuery::new("make this like the login function", query, Language::Rust);
});
