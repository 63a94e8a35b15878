//! A directory that is edited, and an engine that follows it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use craig_engine::{
    Config, Consent, Engine, IngestReport, IngestRequest, SearchRequest, SourceOptions, Waiting,
};
use craig_store::{Project, Store, StoredFile};
use craig_symbols::SymbolGraph;
use tempfile::TempDir;

use crate::database::Database;

/// Files over this size are not tracked.
pub(crate) const MAX_FILE_SIZE_BYTES: u64 = 20_000;

/// Words of the snippets that the edited trees are made of, so that every query has something to find.
const QUERIES: [&str; 8] = [
    "how are groups committed",
    "IngestRequest",
    "distance between shapes",
    "install guide",
    "read_file",
    "hello",
    "token budget of a query",
    "class with a name and an age",
];

/// A source directory, a database, and the engine between them.
pub(crate) struct Workshop {
    source: TempDir,
    home: TempDir,
    database: Database,
    pub(crate) engine: Engine,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        let (source, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let database = Database::new(home.path());
        let engine = opened(database.config());
        Self { source, home, database, engine }
    }

    /// A workshop whose directory holds these files, ingested.
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        let workshop = Self::new();
        files.iter().for_each(|(path, text)| workshop.write(path, text));
        workshop.ingest();
        workshop
    }

    pub(crate) fn source(&self) -> &Path {
        self.source.path()
    }

    /// The database, which is a file.
    pub(crate) fn database(&self) -> PathBuf {
        file_in(self.home.path())
    }

    /// Another engine on the same database, as of another process.
    pub(crate) fn another_engine(&self) -> Engine {
        opened(self.database.config())
    }

    pub(crate) fn store(&self) -> Store {
        self.database.store()
    }

    /// The folder of the project's index.
    pub(crate) fn index_folder(&self) -> PathBuf {
        let store = self.store();
        store.index_folder(&store.project("tree").unwrap())
    }

    /// Changes bytes of the database on the disk, as a broken disk does: `from` becomes `to` wherever it is, also in what SQLite
    /// left behind when it moved rows.
    pub(crate) fn damage_database(&mut self, from: &[u8], to: &[u8]) {
        assert_eq!(from.len(), to.len());
        let path = self.database();
        // The last connection that is closed leaves everything in one file.
        self.engine = open(&path.with_file_name("other.db"));
        let mut bytes = std::fs::read(&path).unwrap();
        let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
        assert!(!places.is_empty(), "there is nothing to damage");
        places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
        std::fs::write(&path, bytes).unwrap();
        self.engine = open(&path);
    }

    /// Writes a file, making its folders; what stands in the way is removed.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let full = self.source().join(path);
        let mut folder = self.source().to_owned();
        for part in Path::new(path).parent().unwrap() {
            folder.push(part);
            if folder.is_file() {
                std::fs::remove_file(&folder).unwrap();
            }
        }
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        if full.is_dir() {
            std::fs::remove_dir_all(&full).unwrap();
        }
        std::fs::write(full, content).unwrap();
    }

    /// Runs git in the directory, without the settings of this machine.
    pub(crate) fn git(&self, command: &str) {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(command.split(' '));
        let output = git.current_dir(self.source()).env("GIT_CONFIG_GLOBAL", "").output().unwrap();
        assert!(output.status.success(), "git {command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.source().join(path)).unwrap();
    }

    pub(crate) fn ingest(&self) -> IngestReport {
        ingest(&self.engine, self.source.path())
    }

    /// Ingests the directory with another engine, as another process does.
    pub(crate) fn ingest_with(&self, engine: &Engine) -> IngestReport {
        ingest(engine, self.source.path())
    }

    pub(crate) fn delta(&self) -> IngestReport {
        self.engine.ingest_delta("tree", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap()
    }

    /// Everything that the engine knows and answers now.
    pub(crate) fn contents(&self) -> String {
        contents(&self.engine, &self.store(), "tree")
    }

    /// What an engine with a file for a database knows and answers that has just met the directory for the first time.
    pub(crate) fn fresh_contents(&self) -> String {
        let home = tempfile::tempdir().unwrap();
        let database = file_in(home.path());
        let engine = open(&database);
        ingest(&engine, self.source());
        contents(&engine, &Store::open(&database).unwrap(), "tree")
    }

    /// Ingests a copy of the directory, as of another worktree.
    pub(crate) fn ingest_copy(&self, name: &str) {
        let copy = tempfile::tempdir().unwrap();
        copy_tree(self.source(), copy.path());
        ingest_as(&self.engine, copy.path(), name);
    }

    /// What the engine knows and answers of a copy of the directory, as of another worktree.
    pub(crate) fn contents_of_copy(&self) -> String {
        let copy = tempfile::tempdir().unwrap();
        copy_tree(self.source(), copy.path());
        let report = ingest_as(&self.engine, copy.path(), "copy");
        assert_eq!((report.vectors_embedded, report.vectors_reused), (0, report.chunks), "all is known");
        contents(&self.engine, &self.store(), "copy")
    }

    /// Fails unless the index is what a fresh ingestion makes.
    #[track_caller]
    pub(crate) fn check_is_fresh(&self) {
        let (incremental, fresh) = (self.contents(), self.fresh_contents());
        assert!(
            incremental == fresh,
            "incremental (-) is not fresh (+):\n{}",
            difference(&incremental, &fresh)
        );
    }

    /// Tracked paths, each with what it is tracked as.
    pub(crate) fn tree(&self) -> String {
        let store = self.store();
        let project = store.project("tree").unwrap();
        let mut text = String::new();
        for record in store.file_records(project.id).unwrap() {
            let state = match (record.is_binary, record.withheld) {
                (true, _) => "binary",
                (_, Some(_)) => "withheld",
                _ => "text",
            };
            writeln!(text, "{} {state}", record.path).unwrap();
        }
        text
    }

    /// Paths that a query finds, best first.
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        let answer = self.engine.search("tree", query, &SearchRequest::default()).unwrap();
        answer.hits.into_iter().map(|hit| hit.path).collect()
    }
}

pub(crate) fn open(database: &Path) -> Engine {
    opened(Config::new(database))
}

fn opened(config: Config) -> Engine {
    Engine::open(&Config { threads: 2, ..config }).unwrap()
}

fn file_in(home: &Path) -> PathBuf {
    home.join("craig.db")
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let copy = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&copy).unwrap();
            copy_tree(&entry.path(), &copy);
        } else {
            std::fs::copy(entry.path(), copy).unwrap();
        }
    }
}

fn ingest(engine: &Engine, directory: &Path) -> IngestReport {
    ingest_as(engine, directory, "tree")
}

fn ingest_as(engine: &Engine, directory: &Path, name: &str) -> IngestReport {
    let options = SourceOptions { max_file_size_bytes: MAX_FILE_SIZE_BYTES, ..SourceOptions::default() };
    let request = IngestRequest {
        directory: directory.to_owned(),
        name: Some(name.into()),
        options,
        waiting: Waiting::Fail,
        consent: Consent::default(),
    };
    let report = engine.ingest(&request, &mut |_| ()).unwrap();
    assert_eq!(report.failed, [], "every file could be processed");
    report
}

fn contents(engine: &Engine, store: &Store, name: &str) -> String {
    let project = store.project(name).unwrap();
    let mut text = format!("content hash {}\n", project.content_hash.as_deref().unwrap_or("none"));
    let status = engine.status(name).unwrap();
    writeln!(text, "status {} {}%", serde_json::json!(status.status).as_str().unwrap(), status.progress)
        .unwrap();
    let embedder = engine.statistics(None).unwrap().embedder;
    for record in store.file_records(project.id).unwrap() {
        let file = store.load_files(project.id, &[record.id], &embedder).unwrap().remove(0);
        write_file(&mut text, &file);
    }
    write_graph(&mut text, store, &project);
    for query in QUERIES {
        write_answers(&mut text, engine, name, query);
    }
    text
}

fn write_graph(text: &mut String, store: &Store, project: &Project) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let graph = SymbolGraph::load(store, project.id, None, &pool, &|| false).unwrap();
    graph.files.iter().for_each(|file| writeln!(text, "{file:?}").unwrap());
    graph.definitions.iter().for_each(|definition| writeln!(text, "{definition:?}").unwrap());
    graph.references.iter().for_each(|reference| writeln!(text, "{reference:?}").unwrap());
}

fn write_file(text: &mut String, file: &StoredFile) {
    let record = &file.record;
    writeln!(
        text,
        "{} {} {} {:?} {:?} {:?} {}",
        record.path,
        record.file_hash,
        record.language.id(),
        record.kind,
        record.file_type,
        record.withheld,
        record.size
    )
    .unwrap();
    writeln!(text, "  {:?} {:?} {:?}", file.parsed, file.symbols, file.imports).unwrap();
    file.chunks.iter().for_each(|chunk| writeln!(text, "  {chunk:?}").unwrap());
}

fn write_answers(text: &mut String, engine: &Engine, name: &str, query: &str) {
    let request = SearchRequest { limit: 30, per_file: 3, ..SearchRequest::default() };
    let answer = engine.search(name, query, &request).unwrap();
    writeln!(text, "? {query}").unwrap();
    for hit in answer.hits {
        writeln!(text, "  {}", serde_json::to_string(&hit).unwrap()).unwrap();
    }
    // Every candidate with every feature, to the bit: hits show only the best of them.
    for candidate in engine.candidates(name, query, &request).unwrap() {
        writeln!(text, "  {} {:?} {:?}", candidate.path, candidate.lines, candidate.features.to_array())
            .unwrap();
    }
}

/// The lines that only one of two texts has, shortened.
fn difference(old: &str, new: &str) -> String {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (old, new) = (lines(old), lines(new));
    let shown = |sign: char, line: &String| format!("{sign} {}", line.chars().take(300).collect::<String>());
    let gone = old.difference(&new).map(|line| shown('-', line));
    let come = new.difference(&old).map(|line| shown('+', line));
    gone.take(10).chain(come.take(10)).collect::<Vec<_>>().join("\n")
}
