//! Any question to a small project, and as a chat message or an instruction: every relevance is a probability.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use craig_context::{ChatQuery, InlineQuery};
use craig_engine::{Cancellation, Config, Document, Engine};
use craig_source::Language;
use libfuzzer_sys::fuzz_target;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut config = Config::new("craig.db");
    config.rerank.timeout = Duration::from_secs(60);
    Engine::new(&config)
});

const FILES: [(&str, &str); 3] = [
    ("src/login.rs", "/// Checks a token.\npub fn verify_token(token: &str) -> bool {\n    !token.is_empty()\n}\n"),
    ("docs/login.md", "# Login\n\nA session ends after an hour.\n"),
    ("lib/été.py", "class Été:\n    def naïve(self): return 'ß'\n"),
];

fuzz_target!(|query: &str| {
    let documents = FILES.map(|(path, text)| Document { path: Some(path), text, score: 0.0 });
    let ranking = ENGINE.rerank_texts(query, &documents, documents.len(), &Cancellation::default());
    let relevances = ranking.expect("the built-in ranking has no bad input").scores(documents.len());
    assert!(relevances.iter().all(|relevance| (0.0..=1.0).contains(relevance)), "{relevances:?}");
    ChatQuery::new(query, &[query, "where is the login?"]);
    InlineQuery::new(query, FILES[0].1, Language::Rust);
    InlineQuery::new("make this like the login function", query, Language::Rust);
});
