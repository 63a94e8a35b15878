//! A small project in a store of its own, written as text: each file below a line `//- /path`.

use std::fmt::Write as _;

use craig_model::{Embedder as _, StaticModel};
use craig_search::{Filter, Hit, Index, PathBase, PathFilter, SearchError, SearchOptions};
use craig_source::{FileStamp, interpret};
use craig_store::{Batch, ChunkText, IndexedFile, Project, Store, TextHash};
use expect_test::Expect;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tempfile::TempDir;

/// A project with its index in a temporary folder.
pub(crate) struct TestProject {
    folder: TempDir,
    pub(crate) store: Store,
    reference: String,
    pub(crate) pool: ThreadPool,
}

impl TestProject {
    /// A project of the files in `files`.
    pub(crate) fn new(files: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("craig.db")).unwrap();
        let reference = store.create_project("test", "/src/test", "{}").unwrap().reference;
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let mut project = Self { folder, store, reference, pool };
        project.write(files);
        project
    }

    /// The project in its present generation.
    pub(crate) fn project(&self) -> Project {
        self.store.project(&self.reference).unwrap()
    }

    /// Adds files, and replaces those of the same paths.
    pub(crate) fn write(&mut self, files: &str) {
        self.apply(parse_files(files).iter().map(|(path, text)| indexed(path, text)).collect(), &[]);
    }

    pub(crate) fn remove(&mut self, paths: &[&str]) {
        self.apply(Vec::new(), paths);
    }

    /// Commits changed and removed files as one generation.
    fn apply(&mut self, changed: Vec<IndexedFile>, removed: &[&str]) {
        let project = self.project().id;
        let n_files = changed.len() as u64;
        let id = |path: &&str| self.store.tracked_file(project, path).unwrap().unwrap().id;
        let removed = removed.iter().map(id).collect();
        let run = self.store.begin_ingestion(project, n_files).unwrap();
        let batch = Batch { changed, removed, ..Batch::default() };
        let missing = self.store.apply(&run, Some(StaticModel::builtin().id()), &batch, n_files).unwrap();
        assert!(missing.is_empty(), "every text has a vector");
    }

    /// The index, brought up to date.
    pub(crate) fn index(&self) -> Index {
        self.try_index().unwrap()
    }

    pub(crate) fn try_index(&self) -> Result<Index, SearchError> {
        let model = StaticModel::builtin();
        Index::sync(&self.store, &self.project(), model.id(), model.dimensions().unwrap(), &self.pool)
    }

    /// The folder with the files of the index.
    pub(crate) fn index_folder(&self) -> std::path::PathBuf {
        self.store.index_folder(&self.project())
    }

    /// Number of segment files of the index.
    pub(crate) fn n_segments(&self) -> usize {
        let entries = std::fs::read_dir(self.index_folder()).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "seg"))
            .count()
    }

    pub(crate) fn search(&self, query: &str, options: &SearchOptions) -> Vec<Hit> {
        self.index().search(&self.store, query, StaticModel::builtin(), options).unwrap().hits
    }

    /// Paths of the hits of a search without limits, best first.
    pub(crate) fn paths(&self, query: &str) -> Vec<String> {
        let options = SearchOptions { limit: 1_000, ..SearchOptions::default() };
        self.search(query, &options).into_iter().map(|hit| hit.path).collect()
    }

    /// Where the database lies.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

/// The files in `text`, each below a line `//- /path`; lines before the first are ignored.
pub(crate) fn parse_files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("//- /") {
            Some(path) => files.push((path.to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files
}

fn indexed(path: &str, text: &str) -> IndexedFile {
    let stamp = FileStamp { size: text.len() as u64, modified_ns: 1_700_000_000_000_000_000, changed_ns: 7 };
    let source = interpret(path, stamp, text.as_bytes().to_vec());
    let text = source.indexed_text().unwrap_or_default().to_owned();
    let outline = craig_chunk::chunk(source.language, &text);
    let chunks: Vec<&str> = outline.chunks.iter().map(|chunk| chunk.text(&text)).collect();
    let vectors = StaticModel::builtin().embed_documents(&chunks).unwrap();
    let texts = chunks
        .iter()
        .zip(vectors)
        .map(|(chunk, vector)| ChunkText { hash: TextHash::new(chunk), vector: Some(vector.quantized()) });
    let texts = texts.collect();
    IndexedFile::new(source, "1", 1_700_000_100_000_000_000, outline, texts)
}

/// Files without anything in common with the queries of these tests, so that candidates have to be chosen.
pub(crate) fn distractors(n: usize) -> String {
    let words = ["meadow", "copper", "lantern", "harvest", "violin", "glacier", "saddle", "walnut"];
    let word = |seed: usize| words[seed % words.len()];
    (0..n).fold(String::new(), |mut files, at| {
        let (a, b, c) = (word(at), word(at / 8 + 3), word(at / 3 + 5));
        write!(files, "//- /other/{a}/{b}_{at}.rs\npub fn {a}_{c}_{at}(count: u32) -> u32 {{\n    {b}(count) + {c}({at})\n}}\n")
            .unwrap();
        files
    })
}

/// Checks the hits of each query of a fixture, whose lines `//- query: …` follow its files.
///
/// A query may end with options behind ` | `: `limit`, `per_file`, `min`, `path`, `kind`, `language`.
pub(crate) fn check(fixture: &str, expect: Expect) {
    let (files, queries) = fixture.split_at(fixture.find("//- query:").unwrap_or(fixture.len()));
    let project = TestProject::new(files);
    let mut found = String::new();
    for query in queries.lines().filter_map(|line| line.strip_prefix("//- query:")) {
        let (text, options) = query.split_once(" | ").unwrap_or((query, ""));
        writeln!(found, "{}", query.trim()).unwrap();
        for (hit, rank) in project.search(text.trim(), &parse_options(options)).iter().zip(1..) {
            writeln!(found, "  {rank} {}", shown(hit)).unwrap();
        }
    }
    expect.assert_eq(&found);
}

/// Place, kind and name of a hit.
pub(crate) fn shown(hit: &Hit) -> String {
    let name = hit.symbol_name.as_deref().unwrap_or("-");
    let parent = hit.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
    format!("{}:{}-{} {} {name}{parent}", hit.path, hit.line_start, hit.line_end, hit.chunk_type.as_str())
}

fn parse_options(text: &str) -> SearchOptions {
    let mut options = SearchOptions::default();
    let (mut kind, mut languages, mut path) = (craig_search::KindFilter::All, Vec::new(), None);
    for (key, value) in text.split_whitespace().filter_map(|option| option.split_once('=')) {
        match key {
            "limit" => options.limit = value.parse().unwrap(),
            "per_file" => options.per_file = value.parse().unwrap(),
            "min" => options.min_score = value.parse().unwrap(),
            "path" => path = Some(value.to_owned()),
            "kind" => kind = serde_json::from_value(value.into()).unwrap(),
            "language" => {
                languages = value.split(',').map(|id| craig_source::Language::from_id(id).unwrap()).collect();
            }
            _ => panic!("no option {key}"),
        }
    }
    let path = path.as_deref().map(|path| PathFilter::new(path, PathBase::default()));
    options.filter = Filter::new(kind, languages, path);
    options
}
