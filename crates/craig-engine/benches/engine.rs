//! What the engine does, timed on generated projects. Real repositories are measured by `scripts/bench`.
//!
//! `cargo bench -p craig-engine` measures; with `-- --test` every bench runs once on a hundredth of its project. With
//! `CRAIG_BENCH_LARGE=1` a query over 500,000 chunks is among them: some minutes and gigabytes.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use craig_engine::{Config, Consent, Engine, IngestRequest, SearchRequest, SourceOptions, Waiting};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;

/// Functions of one generated file; each is about one chunk.
const FUNCTIONS_PER_FILE: usize = 20;

/// Queries of every shape: a symbol, keywords, a question.
const QUERIES: [&str; 4] = [
    "commit_session_ledger",
    "retry queue timeout",
    "where are the tokens of a session checked",
    "how is a job rolled back when its worker fails",
];

/// A generated project, its database and an engine.
struct Project {
    folder: TempDir,
    engine: Engine,
}

impl Project {
    /// Generates and ingests a project of about `n_chunks` chunks.
    fn ingested(n_chunks: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        generate(&folder.path().join("source"), n_chunks);
        let engine = open(&folder.path().join("craig.db"));
        ingest(&engine, &folder.path().join("source"));
        Self { folder, engine }
    }

    fn source(&self) -> PathBuf {
        self.folder.path().join("source")
    }

    fn delta(&mut self) -> u64 {
        self.engine
            .ingest_delta("source", Waiting::Fail, Consent::default(), &mut |_| ())
            .unwrap()
            .files
            .changed
    }

    /// Waits until the stamps of its files prove them unchanged: they say nothing about the tick they were made in.
    fn settle(&mut self) {
        std::thread::sleep(Duration::from_millis(2_100));
        self.delta();
    }

    fn search(&mut self, query: &str) -> usize {
        self.engine.search("source", query, &SearchRequest::default()).unwrap().hits.len()
    }

    fn n_chunks(&self) -> u64 {
        self.engine.statistics(None).unwrap().chunks
    }
}

fn open(database: &Path) -> Engine {
    Engine::open(&Config::new(database)).unwrap()
}

fn ingest(engine: &Engine, directory: &Path) -> u64 {
    let request = IngestRequest {
        directory: directory.to_owned(),
        name: None,
        options: SourceOptions::default(),
        waiting: Waiting::Fail,
        consent: Consent::default(),
    };
    engine.ingest(&request, &mut |_| ()).unwrap().bytes
}

const WORDS: [&str; 32] = [
    "session", "token", "ledger", "queue", "worker", "retry", "timeout", "cursor", "buffer", "schema",
    "index", "shard", "replica", "commit", "offset", "topic", "metric", "policy", "secret", "account",
    "invoice", "payment", "address", "channel", "packet", "router", "filter", "cache", "config", "parser",
    "render", "widget",
];

/// A sequence of numbers that is the same in every run (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }
}

fn generate(root: &Path, n_chunks: usize) {
    let mut numbers = Numbers(7);
    for file in 0..n_chunks.div_ceil(FUNCTIONS_PER_FILE).max(1) {
        let folder = root.join(format!("{}/{}", numbers.word(), numbers.word()));
        std::fs::create_dir_all(&folder).unwrap();
        let (name, is_rust) = (format!("{}_{}_{file}", numbers.word(), numbers.word()), file % 2 == 0);
        let extension = if is_rust { "rs" } else { "py" };
        let text: String = (0..FUNCTIONS_PER_FILE).map(|_| function(&mut numbers, is_rust)).collect();
        std::fs::write(folder.join(format!("{name}.{extension}")), text).unwrap();
    }
}

/// A function of about twenty lines, large enough to be a chunk of its own.
fn function(numbers: &mut Numbers, is_rust: bool) -> String {
    let [verb, noun, object] = [numbers.word(), numbers.word(), numbers.word()];
    let mut text = if is_rust {
        format!(
            "/// Brings the {noun} of a {object} to its {verb}.\npub fn {verb}_{noun}_{object}({object}: u64) -> u64 {{\n"
        )
    } else {
        format!(
            "def {verb}_{noun}_{object}({object}):\n    \"\"\"Brings the {noun} of a {object} to its {verb}.\"\"\"\n"
        )
    };
    for line in 0..18 {
        let [left, right, by] = [numbers.word(), numbers.word(), numbers.word()];
        let number = numbers.below(1_000);
        if is_rust {
            writeln!(
                text,
                "    let {left}_{line} = {right}_{by}({object}, {number}); // the {by} of the {right}"
            )
            .unwrap();
        } else {
            writeln!(text, "    {left}_{line} = {right}_{by}({object}, {number})  # the {by} of the {right}")
                .unwrap();
        }
    }
    text.push_str(if is_rust { "    0\n}\n\n" } else { "    return 0\n\n\n" });
    text
}

/// `full`, or a hundredth of it when the benches are only tried.
fn sized(full: usize) -> usize {
    let is_trial = std::env::args().any(|argument| argument == "--test");
    if is_trial { full / 100 } else { full }
}

fn first_ingestion(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    generate(&source, sized(6_000));
    let n_bytes = ingest(&open(&folder.path().join("first.db")), &source);
    let mut group = criterion.benchmark_group("ingest");
    group.sample_size(10).throughput(Throughput::Bytes(n_bytes));
    group.bench_function("300 files", |bencher| {
        let database = || {
            let folder = tempfile::tempdir().unwrap();
            (open(&folder.path().join("craig.db")), folder)
        };
        bencher.iter_batched(
            database,
            |(engine, folder)| {
                ingest(&engine, &source);
                (engine, folder)
            },
            BatchSize::PerIteration,
        );
    });
}

fn deltas(criterion: &mut Criterion) {
    let mut project = Project::ingested(sized(40_000));
    project.settle();
    let mut group = criterion.benchmark_group("delta of 2,000 files");
    group.sample_size(20);
    group.bench_function("nothing changed", |bencher| bencher.iter(|| black_box(project.delta())));
    let changed = project.source().join("changed.rs");
    let mut numbers = Numbers(11);
    group.bench_function("one file changed", |bencher| {
        bencher.iter_batched(
            || std::fs::write(&changed, function(&mut numbers, true)).unwrap(),
            |()| black_box(project.delta()),
            BatchSize::PerIteration,
        );
    });
}

fn queries(criterion: &mut Criterion) {
    let mut project = Project::ingested(sized(10_000));
    bench_queries(criterion, "warm query of 10,000 chunks", &mut project);
    if std::env::var_os("CRAIG_BENCH_LARGE").is_some() {
        let mut project = Project::ingested(sized(500_000));
        bench_queries(criterion, "warm query of 500,000 chunks", &mut project);
    }
}

fn bench_queries(criterion: &mut Criterion, title: &str, project: &mut Project) {
    let mut group = criterion.benchmark_group(title);
    group.throughput(Throughput::Elements(project.n_chunks()));
    for query in QUERIES {
        group.bench_function(query, |bencher| bencher.iter(|| black_box(project.search(query))));
    }
}

/// Makes the derived index anew from the store.
fn index(criterion: &mut Criterion) {
    let project = Project::ingested(sized(10_000));
    let database = project.folder.path().join("craig.db");
    let store = craig_store::Store::open(&database).unwrap();
    let folder = store.index_folder(&store.projects().unwrap()[0]);
    let mut group = criterion.benchmark_group("index from the store");
    group.sample_size(10).throughput(Throughput::Elements(project.n_chunks()));
    group.bench_function("10,000 chunks", |bencher| {
        bencher.iter_batched(
            || {
                std::fs::remove_dir_all(&folder).unwrap();
                open(&database)
            },
            |engine| {
                let answer = engine.search("source", QUERIES[0], &SearchRequest::default());
                black_box(answer.unwrap());
                engine
            },
            BatchSize::PerIteration,
        );
    });
}

criterion_group!(benches, first_ingestion, deltas, queries, index);
criterion_main!(benches);
