//! Embedders and rerankers other than the built-in ones, end to end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use craig_engine::{
    Config, Consent, EmbedderConfig, Engine, EngineError, Fault, HostedRerank, IngestRequest, Keyed,
    NewSources, Phase, RerankOptions, RerankStatus, RerankerConfig, Retrieval, SearchRequest, SourceOptions,
    Waiting,
};
use craig_model::{EmbeddingDialect, HostedModel, RerankDialect};
use craig_text::identifiers;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Answer, Provider};

const FILES: [(&str, &str); 4] = [
    ("auth.py", "def verify_token(token, secret):\n    return sign(token) == secret\n"),
    (
        "cart.rs",
        "/// Sums the prices of a cart.\npub fn total(items: &[Item]) -> u64 {\n    items.iter().map(|i| i.price).sum()\n}\n",
    ),
    (
        "mail.go",
        "package mail\n\n// Send delivers a letter to an address.\nfunc Send(letter Letter) error {\n\treturn post(letter)\n}\n",
    ),
    ("README.md", "# Shop\n\nSells things to people.\n"),
];

/// A directory and a database.
struct Shop {
    source: TempDir,
    home: TempDir,
}

impl Shop {
    fn new() -> Self {
        let (source, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        FILES.iter().for_each(|(path, text)| std::fs::write(source.path().join(path), text).unwrap());
        Self { source, home }
    }

    fn database(&self) -> PathBuf {
        self.home.path().join("craig.db")
    }

    fn engine(&self, change: impl FnOnce(&mut Config)) -> Engine {
        let mut config = Config::new(self.database());
        change(&mut config);
        Engine::open(&config).unwrap()
    }

    fn request(&self) -> IngestRequest {
        IngestRequest {
            directory: self.source.path().to_owned(),
            name: Some("shop".into()),
            options: SourceOptions::default(),
            waiting: Waiting::Fail,
            consent: Consent::default(),
        }
    }
}

fn keyed<T>(of: T) -> Keyed<T> {
    Keyed { of, missing_key: None }
}

/// A provider whose vectors count the words of a text in so many bins.
fn word_counter(n_dimensions: usize) -> Provider {
    Provider::new(move |body, _| {
        let vector = |text: &Value| {
            let mut bins = vec![0; n_dimensions];
            for word in identifiers(text.as_str().unwrap()) {
                let hash = word
                    .text
                    .bytes()
                    .fold(7usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
                bins[hash % n_dimensions] += 1;
            }
            bins
        };
        let inputs = body["input"].as_array().unwrap().iter().enumerate();
        let data: Vec<Value> =
            inputs.map(|(index, text)| json!({"index": index, "embedding": vector(text)})).collect();
        Answer::json(json!({"data": data}))
    })
}

fn embedded_by(provider: &Provider) -> EmbedderConfig {
    EmbedderConfig::Hosted(keyed(HostedModel {
        endpoint: provider.endpoint("/v1/embeddings"),
        dialect: EmbeddingDialect::OpenAi,
        model: "counter".into(),
        dimensions: None,
        query_prefix: String::new(),
        document_prefix: String::new(),
        usd_per_million_tokens: Some(100.0),
    }))
}

fn dense() -> SearchRequest {
    SearchRequest { retrieval: Retrieval::Dense, ..SearchRequest::default() }
}

const COSTS_ACCEPTED: Consent = Consent { costs: true, new_sources: NewSources::Unprotected };

fn paths(engine: &Engine, query: &str, request: &SearchRequest) -> Vec<String> {
    engine.search("shop", query, request).unwrap().hits.into_iter().map(|hit| hit.path).collect()
}

/// Signs are kept in words of 64: no length may depend on that.
#[test]
fn vectors_of_any_length_are_found_again() {
    for n_dimensions in [3, 100, 256, 384, 1024, 1536] {
        let (shop, provider) = (Shop::new(), word_counter(n_dimensions));
        let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
        engine.ingest(&shop.request(), &mut |_| ()).unwrap();
        if n_dimensions > 64 {
            for (path, query) in [
                ("auth.py", "verify_token secret"),
                ("mail.go", "Letter letter"),
                ("cart.rs", "items price sum"),
            ] {
                assert_eq!(paths(&engine, query, &dense())[0], path, "{n_dimensions} {query}");
            }
        }
        assert_eq!(paths(&engine, "verify_token", &SearchRequest::default())[0], "auth.py");
        // Another process finds the same, and embeds the query only.
        let n_asked = provider.asked().len();
        let other = shop.engine(|config| config.embedder = embedded_by(&provider));
        assert_eq!(paths(&other, "verify_token secret", &SearchRequest::default())[0], "auth.py");
        assert!(provider.asked().len() <= n_asked + 2, "{n_dimensions}");
    }
}

#[test]
fn switching_the_embedder_says_what_it_costs_and_asks_first() {
    let (shop, provider) = (Shop::new(), word_counter(100));
    let builtin = shop.engine(|_| ()).ingest(&shop.request(), &mut |_| ()).unwrap();
    let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
    let refused = engine.ingest_delta("shop", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap_err();
    assert_eq!(refused.fault(), Fault::User);
    assert!(refused.hint().unwrap().contains("--yes"));
    let EngineError::CostsNotAccepted(cost) = refused else { panic!("{refused}") };
    assert_eq!((cost.chunks, cost.is_sent), (builtin.chunks, true));
    assert!(cost.instead_of.as_ref().unwrap().starts_with("craig-static-"), "{cost}");
    assert!(cost.usd.unwrap() > 0.0 && cost.tokens > 10, "{cost}");
    assert!(provider.asked().is_empty(), "nothing is sent before somebody has agreed");

    let mut reported = Vec::new();
    let report = engine
        .ingest_delta("shop", Waiting::Fail, COSTS_ACCEPTED, &mut |progress| {
            if progress.phase == Phase::Embedding {
                reported.push(progress.current.clone());
            }
        })
        .unwrap();
    assert_eq!(
        (report.vectors_embedded, reported.as_slice()),
        (builtin.chunks, [cost.to_string()].as_slice())
    );
    assert_eq!(paths(&engine, "verify_token secret", &dense())[0], "auth.py");

    // The vectors of the provider are kept: going to and fro costs nothing any more.
    let n_asked = provider.asked().len();
    let back =
        shop.engine(|_| ()).ingest_delta("shop", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap();
    assert_eq!((back.vectors_embedded, back.vectors_reused), (builtin.chunks, 0));
    let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
    let again = engine.ingest_delta("shop", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap();
    assert_eq!((again.vectors_embedded, again.vectors_reused), (0, builtin.chunks));
    assert_eq!(provider.asked().len(), n_asked + 1, "only the length of a vector was asked for");
}

#[test]
fn a_file_that_grew_much_is_asked_about() {
    let (shop, provider) = (Shop::new(), word_counter(3));
    let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
    engine.ingest(&shop.request(), &mut |_| ()).unwrap();
    let n_asked = provider.asked().len();
    let functions: String = (0..20_000).map(|n| format!("def f{n}():\n    return {n}\n\n\n")).collect();
    for path in ["auth.py", "cart.rs", "mail.go"] {
        std::fs::write(shop.source.path().join(path), &functions).unwrap();
    }
    let refused = engine.ingest_delta("shop", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap_err();
    let EngineError::CostsNotAccepted(cost) = refused else { panic!("{refused}") };
    assert!(cost.chunks > 1_000 && cost.instead_of.is_none(), "{cost}");
    assert_eq!(provider.asked().len(), n_asked);
    // The same texts with another time.
    FILES.iter().for_each(|(path, text)| std::fs::write(shop.source.path().join(path), text).unwrap());
    engine.ingest_delta("shop", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap();
}

#[test]
fn equal_texts_are_sent_once() {
    let (shop, provider) = (Shop::new(), word_counter(100));
    for copy in 0..5 {
        std::fs::write(shop.source.path().join(format!("copy_{copy}.py")), FILES[0].1).unwrap();
    }
    let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
    engine.ingest(&shop.request(), &mut |_| ()).unwrap();
    let sent: Vec<String> = provider
        .asked()
        .iter()
        .flat_map(|asked| asked.body["input"].as_array().unwrap().clone())
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    let same = sent.iter().filter(|text| text.contains("verify_token")).count();
    assert_eq!(same, 1, "{sent:?}");
    assert_eq!(paths(&engine, "verify_token secret", &dense()).len(), 9);
}

#[test]
fn a_missing_key_stops_only_what_needs_it() {
    let (shop, provider) = (Shop::new(), word_counter(100));
    let engine = shop.engine(|config| {
        let EmbedderConfig::Hosted(mut hosted) = embedded_by(&provider) else { unreachable!() };
        hosted.missing_key = Some("VOYAGE_API_KEY".into());
        config.embedder = EmbedderConfig::Hosted(hosted);
    });
    assert!(engine.projects().unwrap().is_empty());
    assert_eq!(engine.statistics(None).unwrap().files, 0);
    let error = engine.ingest(&shop.request(), &mut |_| ()).unwrap_err();
    assert_eq!(error.to_string(), "Test needs an API key, and VOYAGE_API_KEY is not set");
    assert!(error.hint().unwrap().starts_with("set VOYAGE_API_KEY"));
}

#[test]
fn a_missing_model_folder_is_an_error() {
    let shop = Shop::new();
    let folder = shop.home.path().join("nowhere");
    let engine = shop.engine(|config| {
        config.embedder = EmbedderConfig::Local { folder: folder.clone(), options: Default::default() };
    });
    let error = engine.ingest(&shop.request(), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains(&*folder.to_string_lossy()), "{error}");
    assert!(error.hint().unwrap().contains("docs/models.md"));
}

/// A provider that is out of order ends an ingestion with what was committed, and the next one goes on.
#[test]
fn a_provider_that_fails_for_good_ends_the_ingestion() {
    let (shop, provider) = (Shop::new(), Provider::with_answers(vec![|| Answer::text(401, "no")]));
    let engine = shop.engine(|config| config.embedder = embedded_by(&provider));
    let error = engine.ingest(&shop.request(), &mut |_| ()).unwrap_err();
    assert_eq!(
        (error.fault(), error.to_string().as_str()),
        (Fault::User, "Test refused the request with status 401: no")
    );
    assert_eq!(engine.status("shop").unwrap().status, craig_engine::IngestionState::Failed);
    let good = word_counter(100);
    let engine = shop.engine(|config| config.embedder = embedded_by(&good));
    engine.ingest_delta("shop", Waiting::Fail, COSTS_ACCEPTED, &mut |_| ()).unwrap();
    assert_eq!(paths(&engine, "verify_token secret", &dense())[0], "auth.py");
}

/// Ingests the shop and gives an engine that reranks with `provider`.
fn reranking(shop: &Shop, provider: &Provider, timeout: Duration) -> Engine {
    shop.engine(|_| ()).ingest(&shop.request(), &mut |_| ()).unwrap();
    shop.engine(|config| {
        let model = HostedRerank {
            endpoint: provider.endpoint("/v1/rerank"),
            dialect: RerankDialect::Common,
            model: "m".into(),
        };
        config.rerank = RerankOptions { candidates: 20, timeout, ..RerankOptions::default() };
        config.reranker = RerankerConfig::Hosted(keyed(model));
    })
}

/// A provider that likes documents with `word` best, then the last ones.
fn liking(word: &'static str) -> Provider {
    Provider::new(move |body, _| {
        let documents = body["documents"].as_array().unwrap().iter().enumerate();
        let results: Vec<Value> = documents
            .map(|(index, text)| {
                let score = if text.as_str().unwrap().contains(word) { 0.9 } else { 0.001 * index as f64 };
                json!({"index": index, "relevance_score": score})
            })
            .collect();
        Answer::json(json!({"results": results}))
    })
}

/// Makes an answer when it is asked for.
type MakeAnswer = fn() -> Answer;

const QUERY: &str = "verify_token";

#[test]
fn a_reranker_changes_the_order_and_relevance_stays_calibrated() {
    let (shop, provider) = (Shop::new(), liking("Letter"));
    let engine = reranking(&shop, &provider, Duration::from_secs(5));
    let first =
        engine.search("shop", QUERY, &SearchRequest { rerank: false, ..SearchRequest::default() }).unwrap();
    assert_eq!((first.hits[0].path.as_str(), &first.rerank), ("auth.py", &None));
    let second = engine.search("shop", QUERY, &SearchRequest::default()).unwrap();
    let report = second.rerank.unwrap();
    assert_eq!(
        (report.status, report.reranker.as_str(), report.reason),
        (RerankStatus::Applied, "Test m", None)
    );
    assert_eq!(second.hits[0].path, "mail.go");
    assert_eq!(
        (second.hits[0].evidence[0].signal.as_str(), second.hits[0].evidence[0].value),
        ("rerank", 0.9)
    );
    let relevances = |hits: &[craig_engine::Hit]| hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
    assert_eq!(relevances(&first.hits), relevances(&second.hits), "the best place has the highest relevance");
    let one = engine.search("shop", QUERY, &SearchRequest { limit: 1, ..SearchRequest::default() }).unwrap();
    assert_eq!(
        (one.hits.len(), one.hits[0].path.as_str()),
        (1, "mail.go"),
        "more are reranked than are returned"
    );
    let least = first.hits[0].score;
    let few = engine
        .search("shop", QUERY, &SearchRequest { min_score: least, ..SearchRequest::default() })
        .unwrap();
    assert_eq!(few.hits.len(), first.hits.iter().filter(|hit| hit.score >= least).count());
}

#[test]
fn if_reranking_fails_the_order_stays_and_the_reason_is_reported() {
    let failing: [(MakeAnswer, u64, &str); 4] = [
        (
            || Answer::text(400, "no such model"),
            5_000,
            "Test refused the request with status 400: no such model",
        ),
        (|| Answer::text(200, "{]"), 5_000, "the response of Test is invalid: it is not JSON"),
        (|| Answer::json(json!({"results": []})), 5_000, "the response of Test has no results"),
        (|| Answer::text(200, "late").after(Duration::from_secs(9)), 200, "Test did not respond within"),
    ];
    for (answer, timeout_ms, reason) in failing {
        let (shop, provider) = (Shop::new(), Provider::with_answers(vec![answer]));
        let engine = reranking(&shop, &provider, Duration::from_millis(timeout_ms));
        let found = engine.search("shop", QUERY, &SearchRequest::default()).unwrap();
        let report = found.rerank.unwrap();
        assert_eq!((report.status, found.hits[0].path.as_str()), (RerankStatus::Fallback, "auth.py"));
        assert!(report.reason.as_ref().unwrap().starts_with(reason), "{report:?}");
        assert!(report.elapsed_ms < 4_000.0, "{report:?}");
    }
}

/// A folder as model2vec writes it: a vector of its own for each of these words.
fn write_word_table(folder: &Path, words: &[&str]) {
    let vocabulary: serde_json::Map<String, Value> =
        ["[UNK]"].iter().chain(words).zip(0..).map(|(word, at)| ((*word).to_owned(), json!(at))).collect();
    let n = vocabulary.len();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    let header = json!({ "embeddings": { "dtype": "F32", "shape": [n, n], "data_offsets": [0, 4 * n * n] } })
        .to_string();
    let values = (0..n * n).map(|at| if at % (n + 1) == 0 { 1.0_f32 } else { 0.0 });
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header.bytes().chain(values.flat_map(f32::to_le_bytes)));
    std::fs::write(folder.join("config.json"), r#"{"model_type": "model2vec", "normalize": true}"#).unwrap();
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    std::fs::write(folder.join("model.safetensors"), weights).unwrap();
}

#[test]
fn a_local_model_is_loaded_once_for_all_callers() {
    let (shop, model) = (Shop::new(), tempfile::tempdir().unwrap());
    write_word_table(model.path(), &["verify_token", "send_mail", "secret"]);
    let embedder = EmbedderConfig::Local { folder: model.path().to_owned(), options: Default::default() };
    let engine = shop.engine(|config| config.embedder = embedder.clone());
    engine.ingest(&shop.request(), &mut |_| ()).unwrap();
    // Nobody can load it again.
    drop(model);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(paths(&engine, "verify_token", &dense())[0], "auth.py"));
        }
    });
    let error = shop.engine(|config| config.embedder = embedder).search("shop", "verify_token", &dense());
    assert!(matches!(error, Err(EngineError::Model(_))), "{error:?}");
}

/// MiniLM over real files, where somebody has fetched it.
#[test]
#[expect(clippy::print_stderr, reason = "whoever runs the tests should see what was not tested")]
fn a_model_folder_embeds_a_project() {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folder = cache.unwrap_or_else(|| home.join(".cache")).join("craig-tests/all-MiniLM-L6-v2");
    if !folder.join("onnx/model.onnx").is_file() {
        eprintln!("skipped: no MiniLM in {}: run scripts/fetch-test-models", folder.display());
        return;
    }
    let shop = Shop::new();
    let local = |config: &mut Config| {
        config.embedder = EmbedderConfig::Local { folder: folder.clone(), options: Default::default() };
    };
    let engine = shop.engine(local);
    let report = engine.ingest(&shop.request(), &mut |_| ()).unwrap();
    assert_eq!(report.vectors_embedded, report.chunks);
    // Words that no file holds: only the model knows what they mean.
    assert_eq!(paths(&engine, "authentication of credentials", &dense())[0], "auth.py");
    assert_eq!(paths(&engine, "deliver an e-mail message", &dense())[0], "mail.go");
    assert!(engine.statistics(Some("shop")).unwrap().embedder.starts_with("local-384-"));
}
